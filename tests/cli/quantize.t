# A picture in few colours: how large it was and is, and what was lost.
$ samara quantize data/scene.png -k 8 -o few.png --palette palette.png
data/scene.png: 192 x 128 pixels, 8 of 2774 colours
  mean squared error     69.235
  PSNR, dB               29.728
  bytes before           23593
  bytes after            *
  bits per pixel         *
  colour       share
  #3a644f   0.143595
  #7b551b   0.116333
  #636338   0.126506
  #946520   0.103516
  #6f98d1   0.186198
  #94adc7   0.200765
  #bac7b2  0.0708415
  #eae39d  0.0522461
wrote     few.png
wrote     palette.png
$ samara describe few.png --size 3x2x2 | head -6
few.png: 1 row, 12 columns
  format    png
  pixels    2 x 2
  channels  red, green, blue
  bits      8
  resized   stretched
$ samara quantize few.png -k 8 | head -3
few.png: 192 x 128 pixels, 8 of 8 colours
  mean squared error     0
  PSNR, dB               no error

# Eyes see other distances, and dithering hides the steps.
$ samara quantize data/scene.png -k 8 --space lab --json | grep -E 'space|psnr'
  "space": "lab",
  "psnr": 29.335617386839694,
$ samara quantize data/scene.png -k 8 --dither --json | grep -E 'dither|psnr'
  "dither": true,
  "psnr": 25.02890985385719,
$ samara quantize data/scene.png "starts=5 moves=3" -k 8 --grey --json | grep -E 'channels|colours_before|"mse"'
  "channels": 1,
  "colours_before": 158,
  "mse": 26.6444091796875,

# Blocks of pixels: a book, a code that reads back, and the picture that it stands for.
$ samara quantize data/scene.png --block 4x4 -k 64 -o scene.vq --palette book.png
data/scene.png: 192 x 128 pixels, 64 of 1536 blocks of 4 x 4
  mean squared error     19.259
  PSNR, dB               35.284
  bytes before           23593
  bytes after            *
  bits per pixel         *
  of numbers, unpacked   0.375
  of the book, unpacked  1
  bytes as a PNG         *
wrote     scene.vq
wrote     book.png
$ samara quantize scene.vq -o back.png | head -1; samara quantize data/scene.png --block 4x4 -k 64 -o direct.png -q >/dev/null; cmp back.png direct.png && echo same
scene.vq: 192 x 128 pixels, out of a book of 64 blocks
same

# The same bytes at any number of threads.
$ for j in 1 2 7; do samara quantize data/scene.png -k 8 --dither -o t$j.png -j $j -q >/dev/null; samara quantize data/scene.png --block 2x4 -k 30 -o t$j.vq -j $j -q >/dev/null; done; cmp t1.png t2.png && cmp t1.png t7.png && cmp t1.vq t2.vq && cmp t1.vq t7.vq && echo same
same

# What is no picture, or asks for what cannot be.
$ samara quantize data/iris.csv
samara: data/iris.csv: is not a PNG, JPEG, PBM, PGM or PPM picture by its first bytes
[status 1]
$ samara quantize nothing.png
samara: nothing.png: cannot be opened: No such file or directory
[status 3]
$ head -c 2000 data/scene.png > cut.png; samara quantize cut.png -o x.png
samara: cut.png: a truncated PNG picture: 2000 bytes, and more should follow; copy or download it again
[status 1]
$ samara quantize data/scene.png -k 300
samara: k: 1 to 256 colours, which a palette can hold, not 300
[status 2]
$ samara quantize data/scene.png -k 0
samara: k: 1 or more, not 0
[status 2]
$ samara quantize data/scene.png --block 64x64
samara: data/scene.png: 192 x 128 pixels have 6 blocks of 64 x 64, of which k = 256 cannot be made; give smaller blocks or a smaller k
[status 1]
$ samara quantize data/scene.png --block 4
samara: --block: '4' is not height x width of a block, such as 4x4
[status 2]
$ samara quantize data/scene.png --block 4x4 --dither
samara: dither is for colours, and blocks of pixels are wanted
[status 2]
$ samara quantize data/scene.png -o x.jpg
samara: x.jpg: the name must end in .png
[status 2]
$ samara quantize data/scene.png -o x.vq
samara: x.vq: a .vq file holds blocks: give --block 4x4, or a name that ends in .png
[status 2]
$ samara quantize data/scene.png --space hsv
samara: --space: rgb or lab, not 'hsv'
[status 2]
$ samara quantize data/scene.png "knn 5"
samara: kmeans: k is given twice
[status 2]
$ samara quantize scene.vq -k 5 -o x.png
samara: scene.vq: is a code of blocks, and becomes a picture as it is; give no settings
[status 2]
$ samara quantize scene.vq --palette x.png
samara: scene.vq: is a code of blocks, and becomes a picture as it is; --palette is for pictures
[status 2]
$ samara quantize scene.vq --space rgb
samara: scene.vq: is a code of blocks, and becomes a picture as it is; --space is for pictures
[status 2]
$ samara quantize data/scene.png --block 4x4 --space rgb
samara: --space is for colours, and --block is given
[status 2]
$ samara quantize data/scene.png --fit crop
samara: --fit says how pictures get the size of --size, which is not given
[status 2]
$ samara quantize data/scene.png -o data/scene.png
samara: data/scene.png would be replaced by the result; choose another -o
[status 2]
$ head -c 500 scene.vq > cut.vq; samara quantize cut.vq -o x.png
samara: cut.vq: a damaged code of blocks: its packed bytes are cut off, changed or followed by others
[status 1]
$ ls x.* 2>&1
/ls:\ cannot\ access\ 'x\.\*':\ No\ such\ file\ or\ directory/
[status 2]
