# SPDX-License-Identifier: BSD-2-Clause-Patent
# Library, header and tool for Homebrew on Linux, of the last commit of the checkout that this file
# lies in (version 0.1.0):
#   brew install --HEAD packaging/homebrew/vmaf_gpu.rb
# Not here: an address to download from, because nothing is published yet.
class VmafGpu < Formula
  desc "VMAF on the CPU, CUDA and HIP, equal to libvmaf to the last bit"
  license "BSD-2-Clause-Patent"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git

  depends_on "highway" => :build
  depends_on "lld" => :build
  depends_on "llvm" => :build
  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on :linux
  uses_from_macos "zlib"

  def install
    system "meson", "setup", "build", "-Dtests=false", "-Demu=false",
           "-Ddefault_library=both", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_match "0.1.0", shell_output("#{bin}/vmaf_gpu --version")
  end
end
