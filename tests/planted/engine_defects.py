# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Planted defects of the engine, which the cases engine/ of check must see."""
from defect import defect

ENGINE = 'core/engine.cpp'
SCORES = '        plan_.scores(Window(*this, at), scratch, job.scores.data());\n'
CASE = 'engine/together/17x17/8bit/noise'

DEFECTS = [
    defect('reg30_one_bit_of_one_feature', 'engine', ENGINE, SCORES,
           '    {\n' + SCORES + '        reinterpret_cast<uint64_t *>(job.scores.data())[3] ^= 1;\n    }\n', CASE,
           'scores', 'scores'),
    defect('one_bit_of_a_model', 'engine', ENGINE, SCORES,
           '    {\n' + SCORES + '        reinterpret_cast<uint64_t &>(job.scores.back()) ^= 1;\n    }\n', CASE,
           'scores', 'scores'),
    defect('a_score_that_is_not_finite', 'engine', ENGINE, SCORES,
           '    {\n' + SCORES + '        job.scores[3] *= __builtin_inf();\n    }\n', CASE, 'scores', 'scores'),
    defect('series_in_another_order', 'engine', ENGINE, 'shots_(std::move(settings_.shots))',
           'shots_((table_ = ScoreTable({plan_.names().rbegin(), plan_.names().rend()}), std::move(settings_.shots)))', CASE,
           'names', 'names'),
    defect('reg46_the_cpu_in_place_of_a_device', 'open_executor', 'core/open_executor.cpp', 'backend == nullptr ? open_cpu',
           'backend == backend ? open_cpu', CASE, 'other backend', 'other backend'),
    defect('reg58_scores_depend_on_runs_beside', 'engine', ENGINE, SCORES,
           '    {\n        static int running = 0;\n        ++running;\n' + SCORES +
           '        job.scores[3] += running > 12 ? 1e-6 : 0;\n    }\n', 'engine/side_by_side/', 'scores', 'scores'),
]
