// What Windows and NTFS refuse, on this machine. Loaded into a process before the program (`node --require`). Names
// that a file got, and files that were flushed, are written to LIKE_WINDOWS_LOG in their order.
'use strict';
const fs = require('node:fs');
const os = require('node:os');

const { closeSync, fstatSync, fsyncSync, linkSync, openSync, renameSync, writeSync } = fs;
const log = openSync(process.env.LIKE_WINDOWS_LOG ?? os.devNull, 'a');
const refuse = (code, call) => {
  throw Object.assign(new Error(`${code}: ${call}`), { code, syscall: call });
};
const opened = new Map();
const held = new Map();
const HELD_TIMES = 3;

Object.defineProperty(process, 'platform', { value: 'win32' });
for (const name of ['getuid', 'geteuid', 'getgid', 'getegid']) delete process[name];

fs.openSync = (path, flags, ...mode) => {
  // NTFS names a stream of the file by what follows a colon.
  if (/[:*?"<>|]/.test(String(path))) refuse('ENOENT', 'open');
  const file = openSync(path, flags, ...mode);
  opened.set(file, { path: String(path), mayWrite: flags !== 'r' && flags !== 0 });
  return file;
};
fs.closeSync = (file) => {
  opened.delete(file);
  closeSync(file);
};
fs.fsyncSync = (file) => {
  const { path, mayWrite } = opened.get(file) ?? {};
  if (!mayWrite || fstatSync(file).isDirectory()) refuse('EPERM', 'fsync');
  fsyncSync(file);
  writeSync(log, `flushed ${path}\n`);
};
fs.linkSync = (from, to) => {
  linkSync(from, to);
  writeSync(log, `named ${to}\n`);
};
fs.renameSync = (from, to) => {
  const times = held.get(to) ?? 0;
  held.set(to, times + 1);
  // A reader has the old file open.
  if (times < HELD_TIMES && fs.existsSync(to)) refuse('EPERM', 'rename');
  renameSync(from, to);
  writeSync(log, `named ${to}\n`);
};
