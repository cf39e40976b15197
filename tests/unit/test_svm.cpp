// SPDX-License-Identifier: BSD-2-Clause-Patent
// The libsvm text format and the kernel sum. Scores of whole models are in
// test_model.cpp.
#include "model/svm.h"

#include <clocale>
#include <cmath>

#include "model_fixtures.h"

namespace vmafgpu::svm_test {
namespace {

const std::string kHeader = "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\n"
                            "total_sv 2\nrho -0.25\nSV\n";
const std::string kVectors = "2 1:1 2:0.5 \n-4 2:1e-1 \n";

std::string replace(std::string text, const std::string &from, const std::string &to)
{
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string error_text(const std::string &text)
{
    return error_of([&] { Svm::parse(text, 2, "here"); });
}

double expected(double x0, double x1)
{
    double sum = 0;
    sum = sum + 2 * std::exp(-0.5 * ((x0 - 1) * (x0 - 1) + (x1 - 0.5) * (x1 - 0.5)));
    sum = sum + -4 * std::exp(-0.5 * (x0 * x0 + (x1 - 0.1) * (x1 - 0.1)));
    return sum + 0.25;
}

TEST(Svm, SparseVectorsCountAsZero)
{
    const Svm svm = Svm::parse(kHeader + kVectors, 2, "here");
    EXPECT_EQ(svm.size(), 2U);
    for (const auto &[x0, x1] : {std::pair{0.0, 0.0}, {0.3, -2.0}, {17.0, 0.7}}) {
        const double x[] = {x0, x1};
        EXPECT_EQ(svm.predict(x), expected(x0, x1));
    }
}

TEST(Svm, AcceptsWhatLibsvmWrites)
{
    const double x[] = {0.3, 0.4};
    for (const std::string &text :
         {kHeader + "2 1:1 2:0.5\n-4 2:0.1", kHeader + kVectors + "\n\n",
          replace(kHeader, "rho",
                  "degree 3\ncoef0 0\nlabel 1 -1\nprobA 1\nprobB 2\nnr_sv 1 1\nrho") +
              kVectors,
          replace(kHeader, "SV\n", "SV\r\n") + "+2 1:+1 2:0.5\t\n-4 2:0.1 \r\n"})
        EXPECT_EQ(Svm::parse(text, 2, "here").predict(x), expected(0.3, 0.4)) << text;
}

TEST(Svm, RefusesBadHeaders)
{
    const std::string good = kHeader + kVectors;
    const auto with = [&](const char *from, const char *to) {
        return error_text(replace(good, from, to));
    };
    expect_error(with("nu_svr", "c_svc"), EINVAL,
                 "here: line 1: svm_type must be nu_svr, not 'c_svc'");
    expect_error(with("rbf", "linear"), EINVAL, "line 2: kernel_type must be rbf");
    expect_error(with("gamma 0.5", "gamma"), EINVAL, "line 3: gamma must be one finite number");
    expect_error(with("gamma 0.5", "gamma -1"), EINVAL, "gamma must not be negative");
    expect_error(with("gamma 0.5", "gamma 1e999"), EINVAL, "finite number, not '1e999'");
    expect_error(with("gamma 0.5", "gamma nan"), EINVAL, "finite number, not 'nan'");
    expect_error(with("gamma 0.5", "gamma 0,5"), EINVAL, "finite number, not '0,5'");
    expect_error(with("nr_class 2", "nr_class 3"), EINVAL, "nr_class must be 2");
    expect_error(with("rho -0.25", "rho -0.25 1"), EINVAL, "rho must be one finite number");
    expect_error(with("rho -0.25", "rho inf"), EINVAL, "rho must be one finite number");
    expect_error(with("total_sv 2", "total_sv 0"), EINVAL, "total_sv must be one integer above 0");
    expect_error(with("total_sv 2", "total_sv 9999999999999"), EINVAL, "total_sv must be");
    expect_error(with("total_sv 2", "total_sv 2x"), EINVAL, "total_sv must be");
    expect_error(with("gamma", "gama"), EINVAL, "line 3: unknown key 'gama'");
    expect_error(with("rho -0.25", "gamma 0.5"), EINVAL, "line 6: a second 'gamma'");
    expect_error(with("rho -0.25\n", ""), EINVAL, "line 6: the header lacks rho");
    expect_error(with("rho -0.25\n", "\n"), EINVAL, "empty line in the header");
    expect_error(with("SV\n", "SV 1\n"), EINVAL, "text after SV");
    expect_error(error_text("svm_type nu_svr\n"), EINVAL, "ends before the line SV");
    expect_error(error_text(""), EINVAL, "ends before the line SV");
}

TEST(Svm, RefusesBadVectors)
{
    const auto with = [&](const std::string &vectors) {
        return error_text(kHeader + vectors);
    };
    expect_error(with(""), EINVAL, "total_sv is 2 but there are 0 support vectors");
    expect_error(with("2 1:1\n"), EINVAL, "total_sv is 2 but there are 1 support vectors");
    expect_error(with(kVectors + "1 1:1\n"), EINVAL,
                 "line 10: more support vectors than total_sv, 2");
    expect_error(with("2 1:1\n\n-4 2:1\n"), EINVAL, "empty line among the support vectors");
    expect_error(with("2 2:1 1:1\n"), EINVAL, "line 8: index 1 is not above the one before it");
    expect_error(with("2 1:1 1:1\n"), EINVAL, "index 1 is not above");
    expect_error(with("2 0:1\n"), EINVAL, "index 0 is not above");
    expect_error(with("2 -1:1\n"), EINVAL, "index -1 is not above");
    expect_error(with("2 3:1\n"), EINVAL, "index 3 is above the number of features, 2");
    expect_error(with("2 1=1\n"), EINVAL, "'1=1' is not of the form index:number");
    expect_error(with("2 1:\n"), EINVAL, "'1:' is not of the form index:number");
    expect_error(with("2 1:1e999\n"), EINVAL, "'1:1e999' is not of the form");
    expect_error(with("2 4294967297:1\n"), EINVAL, "is not of the form");
    expect_error(with("x 1:1\n"), EINVAL, "the coefficient 'x' is not a finite number");
}

TEST(Svm, DoesNotDependOnTheLocale)
{
    const char *found = nullptr;
    for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"})
        if (found == nullptr)
            found = std::setlocale(LC_ALL, name);
    if (found == nullptr)
        GTEST_SKIP() << "SKIPPED: no locale with a decimal comma is installed";
    const double x[] = {0.3, 0.4};
    EXPECT_EQ(Svm::parse(kHeader + kVectors, 2, "here").predict(x), expected(0.3, 0.4));
    EXPECT_EQ(Model::load("vmaf_v0.6.1")->features().size(), 6U);
    std::setlocale(LC_ALL, "C");
}

} // namespace
} // namespace vmafgpu::svm_test
