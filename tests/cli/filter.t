# A picture filtered with a kernel: what a convolutional layer does, with weights that are given.
$ printf 'P2 5 4 255\n0 0 9 9 9\n0 0 9 9 9\n0 0 9 9 9\n0 0 0 0 0\n' > step.pgm
$ samara filter step.pgm sobel_x
step.pgm: 5 x 4 pixels become 5 x 4, with numbers from -36 to 36

kernel
        -1        0        1
        -2        0        2
        -1        0        1

filtered
         0       27       27        0      -27
         0       36       36        0      -36
         0       27       27        0      -27
         0        9        9        0       -9
$ samara filter step.pgm "1 0; 0 -1" --edge whole --stride 2 -o small.png
step.pgm: 5 x 4 pixels become 2 x 2, with numbers from 0 to 9

kernel
         1        0
         0       -1

filtered
         0        0
         0        9
wrote     small.png
$ samara describe small.png -q | head -5
small.png: 1 row, 4 columns
  format    png
  pixels    2 x 2
  channels  grey
  bits      8
$ samara filter step.pgm "1 2 3" --flip --edge repeat --json | grep -A6 '"kernel": \['
  "kernel": [[3, 2, 1]],
  "new_height": 4,
  "new_width": 5,
  "least": 0,
  "largest": 54,
  "filtered": [
    [0, 9, 27, 54, 54],
$ samara filter data/scene.png sobel_x --grey --values size -o edges.png --plot filtered=both.svg --plot kernel=kernel.svg
data/scene.png: 192 x 128 pixels become 192 x 128, with numbers from -677 to 684

kernel
        -1        0        1
        -2        0        2
        -1        0        1
wrote     both.svg
wrote     kernel.svg
wrote     edges.png
$ grep -o "<desc>[^/]*" both.svg kernel.svg
both.svg:<desc>2 pictures, values from 0 to 255. before. after.<
kernel.svg:<desc>1 picture, values from −2 to 2.<
$ samara filter data/scene.png blur -q -o one.png -j 1; samara filter data/scene.png blur -q -o two.png -j 7; cmp one.png two.png && echo same
data/scene.png: 192 x 128 pixels become 192 x 128, with numbers from 10.222 to 255

kernel
   0.11111  0.11111  0.11111
   0.11111  0.11111  0.11111
   0.11111  0.11111  0.11111
data/scene.png: 192 x 128 pixels become 192 x 128, with numbers from 10.222 to 255

kernel
   0.11111  0.11111  0.11111
   0.11111  0.11111  0.11111
   0.11111  0.11111  0.11111
same
$ samara filter data/scene.png gauss --size 3x64x96 --values stretch | head -1
data/scene.png: 96 x 64 pixels become 96 x 64, with numbers from 11.328 to 255

# What cannot be.
$ samara filter step.pgm foo
samara: 'foo' is no kernel: there is none of that name; write its rows, as in "0 1 0; 1 -4 1; 0 1 0", or one of identity, blur, gauss, sharpen, edges, laplace, sobel_x, sobel_y, emboss
[status 2]
$ samara filter step.pgm "1 2; 3"
samara: '1 2; 3' is no kernel: its rows are not equally long; write its rows, as in "0 1 0; 1 -4 1; 0 1 0", or one of identity, blur, gauss, sharpen, edges, laplace, sobel_x, sobel_y, emboss
[status 2]
$ samara filter step.pgm "1 x"
samara: '1 x' is no kernel: it has something else than finite numbers; write its rows, as in "0 1 0; 1 -4 1; 0 1 0", or one of identity, blur, gauss, sharpen, edges, laplace, sobel_x, sobel_y, emboss
[status 2]
$ samara filter step.pgm ";"
samara: ';' is no kernel: a row is empty; write its rows, as in "0 1 0; 1 -4 1; 0 1 0", or one of identity, blur, gauss, sharpen, edges, laplace, sobel_x, sobel_y, emboss
[status 2]
$ samara filter step.pgm ""
samara: '' is no kernel: it is empty; write its rows, as in "0 1 0; 1 -4 1; 0 1 0", or one of identity, blur, gauss, sharpen, edges, laplace, sobel_x, sobel_y, emboss
[status 2]
$ samara filter step.pgm "1e308 1e308"
samara: the filtered numbers are not finite: those of the kernel are too large
[status 2]
$ samara filter step.pgm "1 1 1 1 1 1 1 1" --edge whole
samara: a kernel of 1 x 8 does not fit into a picture of 4 x 5; with edges filled in (zero, repeat) it does
[status 1]
$ samara filter step.pgm blur --edge mirror
samara: --edge: zero, repeat or whole, not 'mirror'
[status 2]
$ samara filter step.pgm blur --stride 0
samara: a stride of 0: at least 1
[status 2]
$ samara filter step.pgm blur -o out.jpg
samara: out.jpg: the name must end in .png
[status 2]
$ samara filter data/iris.csv blur
samara: data/iris.csv: is not a PNG, JPEG, PBM, PGM or PPM picture by its first bytes
[status 1]
$ samara filter none.png blur
samara: none.png: cannot be opened: No such file or directory
[status 3]
$ samara filter step.pgm blur -o step.pgm
samara: step.pgm would be replaced by the result; choose another -o
[status 2]
