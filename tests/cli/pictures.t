# A picture is a row, in its own shape or another.
$ samara describe data/scene.png --size 2x2 | head -12
data/scene.png: 1 row, 12 columns
  format    png
  pixels    2 x 2
  channels  red, green, blue
  bits      8
  resized   stretched

numbers
  name  missing  distinct  mean  sd  min   q1  median   q3  max
  0           0         1   129   -  129  129     129  129  129
  1           0         1   159   -  159  159     159  159  159
  2           0         1   193   -  193  193     193  193  193
$ samara convert data/scene.png --size 1x2x3 -o -
150,165,165,113,112,100
$ samara convert data/scene.png --size 2x3 --fit crop --grey -o -
150,165,165,113,112,100

# A folder for each class: labels, names, and a model that predicts a single file.
$ mkdir -p shots/day shots/night; for i in 1 2 3 4 5 6; do printf 'P2 2 2 255 %d 210 2%d0 199' $((200 + i)) $((i % 5)) > shots/day/$i.pgm; printf 'P2 2 2 255 %d 21 2%d 19' $((20 + i)) $i > shots/night/$i.pgm; done
$ samara describe shots | head -6
shots: 12 rows, 6 columns
  format    folder of pictures
  pixels    2 x 2
  channels  grey
  bits      8
  folders   2 classes
$ samara convert shots -o - | head -3
0,1,2,3,label,file
201,210,210,199,day,day/1.pgm
202,210,220,199,day,day/2.pgm
$ samara train "knn 1" shots -o knn.smr --holdout 0 -q; samara predict knn.smr shots/night/3.pgm; samara predict knn.smr shots --keep file | sed -n '1,2p;13p'
label
night
file,label
day/1.pgm,day
night/6.pgm,night
$ samara train "net (conv 2 2 | relu | flatten | dense 4)" shots -o net.smr --holdout 0 -q; samara predict net.smr shots/day/1.pgm
label
day
$ samara predict knn.smr data/scene.png
samara: the model was trained on items of 2 x 2 x 1 (height, width, channels), and those of data/scene.png are 128 x 192 x 3; --size 1x2x2 brings pictures to that shape
[status 1]
$ samara predict knn.smr data/scene.png --size 1x2x2
label
day

# IDX and NPY keep the shape.
$ samara convert shots shots.idx; samara convert shots shots.idx --type label=ignore,file=ignore; samara describe shots.idx | head -4; samara convert shots shots.npy --type label=ignore,file=ignore -q; samara convert shots.npy again.idx -q; cmp shots.idx again.idx && echo same
samara: column 'label' does not hold numbers, and an IDX file holds nothing else; leave it out with --type 'label=ignore', or write CSV or ARFF
wrote     shots.idx
shots.idx: 12 rows, 4 columns
  format  idx
  dtype   u1
  shape   12 x 2 x 2
same

# Pictures that do not agree, broken ones, and folders that are something else.
$ printf 'P2 1 1 255 7' > shots/day/7.pgm; samara describe shots
samara: shots/day/7.pgm has 1 x 1, 1 channel of 8 bits, and shots/day/1.pgm 2 x 2, 1 channel of 8 bits; --size 3x2x2 (or another) brings all to one shape
[status 1]
$ samara describe shots --size 2x2 | head -1
shots: 13 rows, 6 columns
$ rm shots/day/7.pgm; head -c 300 data/scene.png > shots/day/cut.png; samara describe shots
samara: shots/day/cut.png: a truncated PNG picture: 300 bytes, and more should follow; copy or download it again; --bad skip leaves such files out
[status 1]
$ samara describe shots --bad skip | head -1
samara: warning: shots: 1 of 13 files are left out: shots/day/cut.png: a truncated PNG picture: 300 bytes, and more should follow; copy or download it again
shots: 12 rows, 6 columns
$ samara describe shots --bad perhaps
samara: --bad: stop or skip, not 'perhaps'
[status 2]
$ mkdir empty; samara describe empty; touch shots/notes.txt; samara describe shots
samara: empty: is a folder without pictures
samara: shots: holds folders, such as shots/day, and files, such as shots/notes.txt; either each class has a folder, or all pictures are in one
[status 1]
$ samara describe data/iris.csv --size 3x4x4
samara: data/iris.csv: is csv; --size and --grey are for pictures
[status 2]
$ samara describe data/iris.csv --bad skip
samara: data/iris.csv: is csv; --bad skip is for folders of pictures
[status 2]
$ samara describe data/scene.png --size 4
samara: --size: '4' is not height x width or channels x height x width, such as 28x28 or 3x32x32
[status 2]
$ samara describe data/scene.png --fit crop
samara: --fit says how pictures get the size of --size, which is not given
[status 2]
$ samara describe data/scene.png --memory 1M
samara: data/scene.png: a table of 1 picture with a column for each of 73728 samples needs 20.7 MB, and the memory budget leaves 0.9 MB; --size makes pictures smaller, --memory raises the limit
[status 1]
$ printf 'P5 70000 70000 255\nx' > absurd.pgm; samara describe absurd.pgm
samara: absurd.pgm: a truncated P5 picture: its header promises 70000 x 70000 pixels, and it has fewer
[status 1]
$ printf '\377\330\377\311\0\013\010\0\1\0\1\1\1\21\0\377\331' > rare.jpg; samara describe rare.jpg
samara: rare.jpg: is a JPEG picture of a rare kind (arithmetically coded), which is not read; djpeg FILE > FILE.ppm makes one that is
[status 1]
$ printf 'GIF89a' > moving.gif; samara describe moving.gif
samara: moving.gif: not a table, but a GIF image
[status 1]

# CIFAR records: by name, or by format.
$ head -c 3072 /dev/zero > pixels; (printf '\3'; cat pixels; printf '\7'; cat pixels) > test_batch.bin; samara describe test_batch.bin -q | head -5
test_batch.bin: 2 rows, 3073 columns
  format    cifar10
  pixels    32 x 32
  channels  red, green, blue
  bits      8
$ (printf '\3\77'; cat pixels) > train.bin; samara convert train.bin -o - --format cifar100 | tail -c 4; samara convert train.bin -o - --format cifar100-coarse | tail -c 3
,63
,3
$ samara describe train.bin --format cifar10
samara: train.bin: 3074 bytes are not whole records of cifar10, which have 3073; the file is truncated, or another
[status 1]
$ samara describe train.bin
samara: train.bin: not a table: byte 2 is 0, which no text has; name its format with --format if it is an NPY, IDX or CIFAR file
[status 1]
