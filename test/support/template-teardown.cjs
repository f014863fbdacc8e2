const { rmSync } = require('node:fs');

module.exports = () => {
  rmSync(process.env.TEST_TEMPLATE_DIR, { recursive: true, force: true });
};
