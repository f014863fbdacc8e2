const { stdout } = require('node:process');

const SUITE = /^(\w+(?:, second account)?).* as a platform adapter$/;
const NOT_APPLICABLE = /^does not apply: (.*)$/;

/** Prints the table adapter × case after a run of the conformance suite, and nothing after other runs. */
module.exports = class TableReporter {
  onRunComplete(_contexts, { testResults }) {
    const cells = new Map();
    for (const { ancestorTitles, title, status } of testResults.flatMap((file) => file.testResults)) {
      const adapter = SUITE.exec(ancestorTitles[0] ?? '')?.[1];
      if (adapter === undefined || status === 'pending') continue;
      const [, name] = ancestorTitles;
      if (!cells.has(name)) cells.set(name, new Map());
      const row = cells.get(name);
      row.set(adapter, [...(row.get(adapter) ?? []), { title, passed: status === 'passed' }]);
    }
    if (cells.size > 0) stdout.write(`\n${tableOf(cells)}\n`);
  }
};

function tableOf(cells) {
  const adapters = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))].toSorted((one, other) =>
    one.localeCompare(other),
  );
  const notes = [];
  const noteOf = (reason) => {
    if (!notes.includes(reason)) notes.push(reason);
    return notes.indexOf(reason) + 1;
  };
  const lines = [
    ['Case', ...adapters],
    ...[...cells].map(([name, row]) => [name, ...adapters.map((adapter) => cellOf(row.get(adapter), noteOf))]),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const rows = lines.map((line) => `| ${line.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`);
  rows.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return [...rows, ...notes.map((reason, index) => `(${index + 1}) does not apply: ${reason}`), ''].join('\n');
}

/** @param tests the tests of one case and one adapter; undefined if they did not run */
function cellOf(tests, noteOf) {
  if (tests === undefined) return 'not run';
  const failed = tests.filter(({ passed }) => !passed).length;
  if (failed > 0) return `${failed} of ${tests.length} FAILED`;
  const reason = NOT_APPLICABLE.exec(tests[0].title)?.[1];
  return reason === undefined ? `${tests.length} passed` : `– (${noteOf(reason)})`;
}
