// A folder on NFS whose server makes each link and whose every answer is lost: the request that is sent again finds the
// name taken. Loaded into a process before the program (`node --require`).
'use strict';
const fs = require('node:fs');

const { linkSync } = fs;
fs.linkSync = (from, to) => {
  linkSync(from, to);
  linkSync(from, to);
};
