# A long fit keeps how far it has come, and goes on after kill -9 to the same bytes.
$ samara make friedman1 n=3000 --seed 2 -o data.csv -q
$ samara train "boost rounds=80 rows=0.8 patience=30" data.csv --target y -o whole.smr -q
$ for i in 1 2 3 4 5; do samara train "boost rounds=80 rows=0.8 patience=30" data.csv --target y -o cut.smr -q --checkpoint c.ck --every 0 --resume & p=$!; sleep 0.0$((2 * i)); kill -9 $p; wait $p; done 2>/dev/null; true
$ samara train "boost rounds=80 rows=0.8 patience=30" data.csv --target y -o cut.smr -q --checkpoint c.ck --resume && cmp whole.smr cut.smr && echo the same
the same
$ ls c.ck* 2>/dev/null
[status 2]
$ samara train "forest 60" data.csv --target y -o whole.smr -q
$ for i in 1 2 3 4 5; do samara train "forest 60" data.csv --target y -o cut.smr -q --checkpoint c.ck --every 0 --resume & p=$!; sleep 0.0$((2 * i)); kill -9 $p; wait $p; done 2>/dev/null; true
$ samara train "forest 60" data.csv --target y -o cut.smr -q --threads 1 --checkpoint c.ck --resume && cmp whole.smr cut.smr && echo the same
the same
$ ls c.ck* 2>/dev/null
[status 2]

# Ctrl-C keeps what is done, and says so.
$ samara train "boost rounds=100000 max_leaves=4" data.csv --target y --holdout 0 -q --checkpoint c.ck --every 0.1 & p=$!; while ! test -f c.ck; do sleep 0.05; done; kill -2 $p; wait $p; echo status $?
samara: cancelled after * of 100000 rounds of boost, which are kept: --resume continues from there
status 130
$ samara train "boost rounds=100000 max_leaves=4" data.csv --target y --holdout 0 -q --checkpoint c.ck
samara: c.ck is there already: --resume continues from it; remove it to begin anew
[status 1]
$ samara train "boost rounds=100000 max_leaves=4" data.csv --target y --holdout 0 -q --checkpoint c.ck --resume --seed 7
samara: c.ck is the checkpoint of another fit: its seed is 0, and here it is 7; remove it to begin anew
[status 1]
$ samara train "boost rounds=100000 max_leaves=5" data.csv --target y --holdout 0 -q --checkpoint c.ck --resume
samara: c.ck is the checkpoint of another fit: its sentence has max_leaves=4 where this one has max_leaves=5; remove it to begin anew
[status 1]
$ head -n 2000 data.csv > part.csv; samara train "boost rounds=100000 max_leaves=4" part.csv --target y --holdout 0 -q --checkpoint c.ck --resume
samara: c.ck is the checkpoint of another fit: the data differ; remove it to begin anew
[status 1]
$ samara train "boost rounds=100000 max_leaves=4" data.csv --target y --holdout 0 -q --checkpoint whole.smr --resume
samara: whole.smr is not a checkpoint of samara, but a model file
[status 1]
$ head -c 5000 c.ck > short.ck; samara train "boost rounds=100000 max_leaves=4" data.csv --target y --holdout 0 -q --checkpoint short.ck --resume
samara: the file is damaged: its contents do not match its checksum (while reading the checkpoint short.ck)
[status 1]
$ rm c.ck

# So it does between the rounds, while a threshold is chosen: no message denies the checkpoint that stands.
$ for s in 0 0.05 0.2 0.5 0.9 1.5; do rm -f k.ck*; samara train "boost rounds=60" data.csv --target y -q --threshold f1 --checkpoint k.ck --every 0 > said.txt 2>&1 & p=$!; while ! test -f k.ck.part && kill -0 $p 2> /dev/null; do sleep 0.02; done; sleep $s; kill -2 $p 2> /dev/null; wait $p; if test -f k.ck -o -f k.ck.part; then grep -q "kept: .*--resume continues from there" said.txt && echo says so; else echo done; fi; done | sort -u | grep -v done
says so
$ rm -f k.ck*

# Words that do not go together.
$ samara train ridge data.csv --target y --checkpoint c.ck
samara: ridge cannot stop in the middle of its work and go on, so there is nothing to keep in a checkpoint; learners that can: adaboost, bag, boost, forest, net
[status 2]
$ samara train "boost rounds=3" data.csv --target y --resume
samara: --resume needs --checkpoint FILE
[status 2]
$ samara train "boost rounds=3" data.csv --target y --every 5
samara: --every needs --checkpoint FILE
[status 2]
$ samara train "boost rounds=3" data.csv --target y --checkpoint -
samara: --checkpoint needs a file, not -
[status 2]
$ samara train "boost rounds=3" data.csv --target y --checkpoint c.ck --every -1
samara: --every: 0 to 1e9 seconds
[status 2]
$ samara train "boost rounds=3" data.csv --target y --checkpoint data.csv
samara: data.csv would be replaced by the result; choose another --checkpoint
[status 2]
$ samara train "boost rounds=3" data.csv --target y --checkpoint data.csv/c.ck --every 0 --json | grep -o "no checkpoint could be written, and the fit goes on without"
samara: warning: no checkpoint could be written, and the fit goes on without one: data.csv/c.ck: cannot be written: Not a directory
no checkpoint could be written, and the fit goes on without

# A stream's checkpoint is its model.
# Not under a sanitizer.
$ samara make blobs n=60000 d=3 classes=2 sd=4 --seed 1 -o rows.csv -q
$ samara stream "standardize | sgd logistic" rows.csv --target y --passes 3 --window 20000 -o whole.smr --json | grep -A 9 last_pass | grep -v seconds > whole.txt
$ head -n 2001 rows.csv | samara stream "standardize | sgd logistic" - --target y --warm-up 2000 --window 20000 -o cut.smr -q
read      2000 rows in * s; learned from 2000
measured  error 0.013, accuracy 0.987, log_loss 0.03724, each row before it was learned
saved     cut.smr
$ for i in 1 2 3 4 5 6; do samara stream --resume cut.smr rows.csv --passes 3 --window 20000 --save-every 500 -q & p=$!; sleep 0.$((i + 1)); kill -9 $p; wait $p; done >/dev/null 2>&1; true
$ samara stream --resume cut.smr rows.csv --passes 3 --window 20000 -q --json | grep -A 9 last_pass | grep -v seconds > cut.txt
$ cmp whole.smr cut.smr && cmp whole.txt cut.txt && echo the same
the same
