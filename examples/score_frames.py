#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Scores frames that are numpy arrays, as a program has them that makes or filters pictures itself. Here a pattern
moves, and the distorted frames have noise of growing strength.

    score_frames.py
"""
import numpy as np
import vmaf_gpu

WIDTH, HEIGHT, COUNT = 320, 180, 10


def picture(number):
    """Y', Cb and Cr of 4:2:0; rows come first in the shape."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    luma = 128 + 80 * np.sin((x + 2 * number) / 9) * np.cos(y / 7)
    chroma = np.full((HEIGHT // 2, WIDTH // 2), 128, np.uint8)
    return luma.astype(np.uint8), chroma, chroma


def noisy(planes, strength, generator):
    noise = generator.normal(0, strength, planes[0].shape)
    return np.clip(planes[0] + noise, 0, 255).astype(np.uint8), *planes[1:]


def main():
    generator = np.random.default_rng(1)
    with vmaf_gpu.Scorer(WIDTH, HEIGHT, features="psnr") as scorer:
        for number in range(COUNT):
            reference = picture(number)
            # Arrays are not copied: they stay as they are while scorer.held counts them.
            scorer.push(reference, noisy(reference, number, generator))
        for pair in scorer.flush():
            print(f"frame {pair.frame}: vmaf {pair.scores['vmaf']:.3f}, psnr_y {pair.scores['psnr_y']:.3f}")
        print(f"mean: {scorer.pooled():.3f}")


if __name__ == "__main__":
    main()
