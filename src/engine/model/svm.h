// SPDX-License-Identifier: BSD-2-Clause-Patent
// Support vector regression (nu-SVR, radial kernel) from libsvm's text format. The model loader and
// Model::predict() call it. Scaling of features and of the result is in model.cpp. There is no
// training.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vmafgpu {

class Svm {
public:
    /// `features`: how many values a vector has. Throws Error(EINVAL) whose
    /// text starts with `where` and names the line.
    static Svm parse(std::string_view text, size_t features, const std::string &where);

    /// x: one value per feature. Operation order of libsvm's svm_predict().
    double predict(const double *x) const;

    size_t size() const { return coefficients_.size(); }

    /// Returns all numbers that predict() reads, in the order of the file: gamma, rho, then of each
    /// support vector its coefficient and its values.
    std::vector<double> parameters() const;

private:
    friend class SvmParser;

    size_t features_ = 0;
    double gamma_ = 0;
    double rho_ = 0;
    /// Support vectors that predict() takes at a time: their values of a feature lie
    /// together, so that compilers use SIMD for what needs no order.
    static constexpr size_t kBlock = 32;
    std::vector<double> coefficients_; ///< one per support vector, in file order
    std::vector<double> vectors_;      ///< blocks of features_ times kBlock values, absent = 0
};

} // namespace vmafgpu
