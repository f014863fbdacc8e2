import type { Page } from 'playwright-core';
import { LOCAL_RECEIVERS, ReceiverFake } from '../fakes/receiver.fake';
import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const gateway = useGateway({ env: LOCAL_RECEIVERS });
let receiver: ReceiverFake;

const call = async <T>(method: string, path: string, body?: unknown) =>
  (await gateway.api<T>(method, path, body, { key: gateway.testKey })).body.data;

beforeAll(async () => {
  receiver = await new ReceiverFake().start();
  receiver.react((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"at sea"}'),
  );
});

/** Checks what is shown in both colour schemes. With the variable SHOTS, keeps pictures of both in that folder. */
async function check(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => undefined)',
    );
    expect({ name, colorScheme, faults: await axeFaults(page) }).toEqual({ name, colorScheme, faults: [] });
    const width = page.viewportSize()!.width;
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const folder = process.env['SHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
  }
}

describeInBrowser('the tools of the dashboard', () => {
  it.each([1280, 390])(
    'a tool is created, tested, called in a conversation, disabled and deleted, %i pixels wide',
    async (width) => {
      const { page, messages, foreign } = await openPage(gateway.url, { viewport: { width, height: 900 } });
      const name = `order_status_${width}`;
      await signIn(page, gateway.testKey, '/dashboard/tools');
      const main = page.getByRole('main');
      const dialog = page.getByRole('dialog');
      await main.getByText('No tools').waitFor();
      await check(page, 'tools-none');

      // The parameters are written as a row; the same schema is shown as JSON.
      await main.getByRole('button', { name: 'Create a tool' }).click();
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Description', { exact: true }).fill('Looks up where an order is.');
      await dialog.getByRole('button', { name: 'Add a parameter' }).click();
      await dialog.getByLabel('Name of row 1').fill('order_id');
      await dialog.getByLabel('Description of order_id').fill('Number on the receipt.');
      await dialog.getByLabel('URL').fill(receiver.url());
      await check(page, 'tools-form');
      await dialog.getByText('JSON Schema', { exact: true }).click();
      const schema = {
        type: 'object',
        properties: { order_id: { type: 'string', description: 'Number on the receipt.' } },
        required: ['order_id'],
        additionalProperties: false,
      };
      expect(JSON.parse(await dialog.getByRole('textbox', { name: 'JSON Schema' }).inputValue())).toEqual(schema);
      await dialog.getByRole('textbox', { name: 'JSON Schema' }).fill('{"type": "obj');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await dialog.getByText('is not valid JSON').waitFor();
      await dialog.getByRole('textbox', { name: 'JSON Schema' }).fill('{"type": "array"}');
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await dialog.getByText('must be a JSON Schema with "type": "object"').first().waitFor();
      await check(page, 'tools-form-json');
      await dialog.getByRole('textbox', { name: 'JSON Schema' }).fill(JSON.stringify(schema));
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();

      // The secret is shown once.
      const secret = (await page.getByRole('region', { name: 'secret', exact: true }).textContent())!;
      expect(secret).toMatch(/^whsec_/);
      await dialog.getByText('TOOL_SECRET').waitFor();
      await check(page, 'tools-secret');
      await dialog.getByRole('button', { name: 'I have stored the secret' }).click();
      const [tool] = await call<{ id: string; parameters: object }[]>('GET', '/tools');
      expect(tool).toMatchObject({ parameters: schema, enabled: true, timeout_seconds: 10 });
      await check(page, 'tools-list');

      // A test calls the receiver, and shows its answer. Arguments that do not fit are refused.
      await main.getByRole('link', { name }).click();
      await main.getByRole('button', { name: 'Test' }).click();
      await dialog.getByLabel('Arguments').fill('{"order_id": 7}');
      await dialog.getByRole('button', { name: 'Call' }).click();
      await dialog.getByText('refused').waitFor();
      await dialog.getByLabel('Arguments').fill('{"order_id": "7"}');
      await dialog.getByRole('button', { name: 'Call' }).click();
      await dialog.getByRole('region', { name: 'result' }).getByText('"status": "at sea"').waitFor();
      await check(page, 'tool-test');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await main.getByText('No calls').waitFor();

      // The assistant calls it in a conversation: the list follows, and leads to the message.
      const inbound = { platform: 'telegram', sender: { id: `${width}`, name: 'Ada' } };
      await call('POST', '/sandbox/inbound', { ...inbound, content: `/${name} {"order_id": "1042"}` });
      const listed = main.getByRole('row').filter({ hasText: '1042' });
      await listed.getByText('success').waitFor();
      await check(page, 'tool');
      await listed.getByRole('button').click();
      await dialog.getByRole('region', { name: 'arguments' }).getByText('"order_id": "1042"').waitFor();
      await dialog.getByRole('region', { name: 'result' }).getByText('"status": "at sea"').waitFor();
      await check(page, 'tool-call');
      await dialog.getByRole('link', { name: 'What happened' }).click();
      await page.getByText(`Called ${name}: success`).first().waitFor();
      await page.getByText('result: {"status":"at sea"}').first().waitFor();
      await check(page, 'tool-what-happened');

      // The palette finds the tool by its id.
      await page.keyboard.press('Control+k');
      await dialog.getByRole('combobox').fill(tool!.id);
      await page.keyboard.press('Enter');
      await main.getByRole('heading', { name, level: 1 }).waitFor();

      // Disabled, the assistant is not offered it; then it is deleted.
      await main.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Disable' }).click();
      await main.getByText('disabled', { exact: true }).waitFor();
      expect(await call('GET', `/tools/${tool!.id}`)).toMatchObject({ enabled: false });
      await main.getByRole('button', { name: 'Enable' }).waitFor();
      await main.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await main.getByText('No tools').waitFor();
      await eventually('it is gone', async () => expect(await call('GET', '/tools')).toEqual([]));
      // The gateway refused a schema: the browser says so in its console.
      expect(messages.filter((message) => !message.includes('status of 400'))).toEqual([]);
      expect(foreign).toEqual([]);
    },
    120_000,
  );

  it('a schema with more than a list of arguments is changed as JSON, and stays as it is', async () => {
    const parameters = {
      type: 'object',
      properties: { size: { type: 'string', enum: ['s', 'm'] } },
      additionalProperties: false,
    };
    const given = { name: 'sizes', description: 'Sizes.', parameters, url: receiver.url() };
    const { id } = await call<{ id: string }>('POST', '/tools', given);
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey, `/dashboard/tools/${id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await dialog.getByRole('textbox', { name: 'JSON Schema' }).waitFor();
    expect(await dialog.getByRole('radio', { name: 'Form' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Timeout').fill('20');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('20 s to answer').waitFor();
    expect(await call('GET', `/tools/${id}`)).toMatchObject({ parameters, timeout_seconds: 20 });
    await call('DELETE', `/tools/${id}`);
  });

  it('a tool that fails is a problem, which leads to it', async () => {
    receiver.react(500, '/broken');
    const parameters = { type: 'object', properties: {} };
    const given = { name: 'broken', description: 'Fails.', parameters, url: receiver.url('/broken') };
    const { id } = await call<{ id: string }>('POST', '/tools', given);
    for (let count = 1; count <= 3; count += 1) {
      const sender = { id: `broken-${count}`, name: 'Ben' };
      await call('POST', '/sandbox/inbound', { platform: 'telegram', sender, content: '/broken {}' });
    }
    await eventually('three calls failed', async () =>
      expect(await call<unknown[]>('GET', `/tools/${id}/calls?status=failed`)).toHaveLength(3),
    );
    const { page } = await openPage(gateway.url);
    await signIn(page, gateway.testKey);
    const problems = page.getByRole('list', { name: 'Problems' });
    await problems.getByRole('link', { name: 'Open the tool' }).click();
    await page.getByRole('heading', { name: 'broken', level: 1 }).waitFor();
    await page.getByRole('main').getByText('failed').first().waitFor();
  });
});
