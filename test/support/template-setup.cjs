const { randomUUID } = require('node:crypto');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Where the workers of one run find the cluster that they copy, see postgres-template.ts; it is made when first wanted. */
module.exports = () => {
  process.env.TEST_TEMPLATE_DIR = join(tmpdir(), `gateway-test-template-${randomUUID()}`);
};
