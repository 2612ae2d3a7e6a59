#!/bin/sh
# Makes the PTX files of this folder with nvcc (13.0) from corpus.cu.
cd "$(dirname "$0")" || exit 1
nvcc -O3 -arch=sm_75 -ptx corpus.cu -o corpus-O3.ptx
nvcc -O0 -G -arch=sm_80 -ptx corpus.cu -o corpus-G.ptx
# Debug information is most of the text: of each section a few lines are kept. Names
# of files lose their folders.
for f in corpus-O3.ptx corpus-G.ptx; do
  awk '/^\t\.section/ { inside = 1; n = 0 }
       inside { if (n++ < 6 || /^\t}/) print; if (/^\t}/) inside = 0; next }
       { print }' $f | sed 's|\(\.file.*"\).*/|\1|' > short.ptx && mv short.ptx $f
done
