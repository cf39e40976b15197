# SPDX-License-Identifier: BSD-2-Clause-Patent
# Library, header and tool for Nix, of the checkout that this file lies in:
#   nix-build packaging/nix
# Not here: FFmpeg with the filter. NVIDIA's driver is found on NixOS by addDriverRunpath only.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "vmaf_gpu";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [ meson ninja pkg-config python3 llvmPackages.clang-unwrapped lld addDriverRunpath ];
  buildInputs = with pkgs; [ libhwy nlohmann_json zlib ];

  mesonFlags = [ "-Dtests=false" "-Demu=false" "-Ddefault_library=both" ];

  postFixup = ''
    addDriverRunpath $out/lib/libvmaf_gpu.so
  '';

  meta = {
    description = "VMAF on the CPU, CUDA and HIP, equal to libvmaf to the last bit";
    license = pkgs.lib.licenses.bsd2Patent;
    platforms = [ "x86_64-linux" ];
    mainProgram = "vmaf_gpu";
  };
}
