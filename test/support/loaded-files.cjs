/*
 * Preload it with `NODE_OPTIONS=--require …`. At its end, the process writes the URLs of all files that it required or
 * imported to `$LOADED_FILES/<process id>`, one URL a line.
 */
const { writeFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const process = require('node:process');

const loaded = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(`${process.env.LOADED_FILES}/${process.pid}`, loaded.join('\n')));
