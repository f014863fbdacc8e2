import { eventually } from '../support/eventually';
import { startTestGateway, type TestGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

const call = async <T>(method: string, path: string, body?: unknown) =>
  (await gateway.api<T>(method, path, body, { key: gateway.testKey })).body.data;

/** A person writes. @returns the conversation */
const say = async (id: string, name: string, content: string, platform = 'telegram') =>
  (
    await call<{ conversation_id: string }>('POST', '/sandbox/inbound', {
      platform,
      sender: { id, name },
      content,
    })
  ).conversation_id;

const open = async (path: string) => {
  const watched = await openPage(gateway.url);
  await signIn(watched.page, gateway.testKey, `/dashboard${path}`);
  await watched.page.getByText('Connected').first().waitFor();
  return watched;
};

describeInBrowser('the inbox: a person takes over', () => {
  it('lists who waits with reason and age, counts them, takes over with a timer and hands back', async () => {
    const { page } = await open('/conversations');
    const id = await say('100', 'Ada', 'I want to talk to a person');
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByText('1 waiting for a person').waitFor();
    await eventually('the title has the number', async () =>
      expect(await page.title()).toBe('(1) Conversations · Messaging Gateway'),
    );

    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: 'Waiting for a person' }).click();
    const row = page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Ada/ });
    await row.getByText(/^waits \d+ s/).waitFor();
    await row.getByText('The assistant asked for a person.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await row.click();

    const bar = page.getByRole('region', { name: 'Handover' });
    await bar.getByText(/^Waiting for a person for/).waitFor();
    await bar.getByRole('button', { name: 'Take over' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your name').fill('Grace');
    await dialog.getByLabel('Note for colleagues').fill('Wants a refund');
    await dialog.getByRole('combobox', { name: 'The assistant answers again' }).click();
    await page.getByRole('option', { name: 'After an hour' }).click();
    await dialog.getByRole('button', { name: 'Take over' }).click();
    await bar.getByText(/^Grace has it since/).waitFor();
    await bar.getByText('Note: Wants a refund').waitFor();
    await bar.getByText(/^The assistant answers again at .+, in (1 h 0|59) min\.$/).waitFor();
    await navigation.getByText('waiting for a person').waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);

    await bar.getByRole('button', { name: 'Hand back' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await call('GET', `/conversations/${id}`)).toMatchObject({ handling: 'assistant' });
  }, 60_000);

  it('takes over with an answer; a draft outlives a reload, and Shift and Enter make a new line', async () => {
    const id = await say('101', 'Bob', 'When do you open?');
    const { page } = await open(`/conversations/${id}`);
    await page.getByText('Sending takes the conversation over from the assistant.').waitFor();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('At nine');
    await page.reload();
    await eventually('the draft is there', async () => expect(await box.inputValue()).toBe('At nine'));
    await box.press('End');
    await box.press('Shift+Enter');
    await box.pressSequentially('Grace');
    await box.press('Enter');
    await page.getByRole('log').getByText('At nine\nGrace').waitFor();
    await page.getByRole('region', { name: 'Handover' }).getByText('A person has it').waitFor();
    expect(await box.inputValue()).toBe('');
    expect(await call('GET', `/conversations/${id}`)).toMatchObject({ handling: 'human' });
  });

  it('asks for notifications on a click, and shows one for each request', async () => {
    const { page } = await open('/conversations?show=waiting');
    await page.evaluate(`
      window.shown = [];
      window.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() { return (this.permission = 'granted'); }
        constructor(title, options) { super(); shown.push([title, options.body]); }
      };
    `);
    await page.getByRole('switch', { name: 'Notify me of new ones' }).check({ force: true });
    await say('102', 'Cleo', 'A person, please: a person');
    await eventually('a notification is shown', async () =>
      expect(await page.evaluate('window.shown')).toEqual([['Cleo waits for a person', expect.any(String)]]),
    );
  });
});
