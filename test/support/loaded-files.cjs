/*
 * Preloaded (`NODE_OPTIONS=--require …`), it has a process write which files it loaded when it ends, required or imported, a URL
 * on each line, to `$LOADED_FILES/<process id>`.
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
