const { rmSync } = require('node:fs');

module.exports = () => {
  rmSync(process.env.TEST_CLUSTERS_DIR, { recursive: true, force: true });
};
