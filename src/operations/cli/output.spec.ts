import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Output, table } from './output';

const HOSTILE = 'a\u001b[2Jb\u0007\n\u007f\u009b1mé';
const ESCAPED = 'a\\u001b[2Jb\\u0007\\u000a\\u007f\\u009b1mé';

async function printed(isJson: boolean, print: (output: Output) => void): Promise<string> {
  const stdout = new PassThrough();
  print(new Output(isJson, stdout, new PassThrough() as unknown as NodeJS.WriteStream));
  stdout.end();
  return text(stdout);
}

describe(Output.name, () => {
  it('escapes control characters in the lines of a result', async () => {
    expect(await printed(false, (output) => output.result({}, [HOSTILE]))).toBe(`${ESCAPED}\n`);
  });

  it('escapes control characters in a JSON document, which keeps its values', async () => {
    const document = { name: HOSTILE, list: [HOSTILE] };
    const json = await printed(true, (output) => output.result(document, []));
    expect(JSON.parse(json)).toEqual(document);
    // oxlint-disable-next-line no-control-regex -- these characters are the subject
    expect(json.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    const failure = await printed(true, (output) => output.fail([HOSTILE]));
    expect(JSON.parse(failure)).toEqual({ error: { message: HOSTILE } });
    expect(failure).not.toContain('\u009b');
  });

  it('aligns a table by its printed width, with control characters escaped', () => {
    expect(table(['NAME', 'URL'], [[HOSTILE, 'x']])).toEqual([
      `NAME${' '.repeat(ESCAPED.length - 2)}URL`,
      `${ESCAPED}  x`,
    ]);
  });
});
