// What is sent to one port of this machine goes to another. OTHER_PORT is `from:to`. Loaded into a process
// before the program (`node --require`).
'use strict';
const { Socket } = require('node:net');

/** Until the function that it gives is called. */
exports.leadElsewhere = (text) => {
  const [from, to] = text.split(':').map(Number);
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function connectElsewhere(...given) {
    const [options] = Array.isArray(given[0]) ? given[0] : given;
    if (Number(options?.port) === from) options.port = to;
    return connect.apply(this, given);
  };
  return () => {
    Socket.prototype.connect = connect;
  };
};

if (process.env.OTHER_PORT) exports.leadElsewhere(process.env.OTHER_PORT);
