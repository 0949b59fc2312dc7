#!/usr/bin/env bash
# Makes the files beside it; README.md says with which packages.
set -euo pipefail
cd "$(dirname "$0")"
source=$(python -c "import fontpkg_inter, pathlib; print(pathlib.Path(fontpkg_inter.__file__).parent / 'files')")
latin=U+0000-00FF,U+0131,U+0152-0153,U+0160-0161,U+0178,U+017D-017E,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0300-0304,U+0308,U+2000-206F,U+2070-2089,U+20AC,U+2113,U+2116,U+2122,U+2126,U+212E,U+2150-215E,U+2190-2193,U+2200-2265,U+25A0-25CF,U+2713
extended=U+0100-0130,U+0132-0151,U+0154-015F,U+0162-0177,U+0179-017C,U+017F-024F,U+1E00-1EFF,U+20A0-20AB,U+20AD-20BF
greek=U+0370-03FF
cyrillic=U+0400-04FF
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cut() { # name file weight
    fonttools varLib.instancer -q --no-recalc-timestamp "$source/$2" opsz=14 wght="$3" -o "$work/$1.ttf"
    for range in latin extended greek cyrillic; do
        pyftsubset "$work/$1.ttf" --unicodes="${!range}" --flavor=woff2 --no-hinting \
            --layout-features=kern,mark,mkmk,ccmp,locl,tnum,calt --output-file="$1-$range.woff2"
    done
}
cut regular 'Inter[opsz,wght].ttf' 400
cut bold 'Inter[opsz,wght].ttf' 640
cut italic 'Inter-Italic[opsz,wght].ttf' 400
