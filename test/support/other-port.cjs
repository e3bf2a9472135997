// Loaded into the program before its own code (`node --require`): what is sent to one port of this machine
// goes to another. OTHER_PORT is `from:to`.
'use strict';
const { Socket } = require('node:net');
const [from, to] = process.env.OTHER_PORT.split(':').map(Number);
const { connect } = Socket.prototype;

Socket.prototype.connect = function connectElsewhere(...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  if (Number(options?.port) === from) options.port = to;
  return connect.apply(this, given);
};
