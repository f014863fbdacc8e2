import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { upload } from '../support/media';
import { png } from '../support/png';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

const gateway = useGateway();

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

const opened: Page[] = [];

// A key may open few streams at once.
afterEach(async () => {
  for (const page of opened.splice(0)) await page.context().close();
});

const open = async (path: string) => {
  const watched = await openPage(gateway.url);
  opened.push(watched.page);
  await signIn(watched.page, gateway.testKey, `/dashboard${path}`);
  await watched.page.getByText('Connected').first().waitFor();
  return watched;
};

describeInBrowser('the inbox: a person takes over', () => {
  it('waiting conversations are listed and counted, taken over with a timer and handed back', async () => {
    const { page } = await open('/conversations');
    const id = await say('100', 'Ada', 'I want to talk to a person');
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    await navigation.getByText('1 waiting for a person').waitFor();
    await eventually('the title has the number', async () =>
      expect(await page.title()).toBe('(1) Conversations · Messaging Gateway'),
    );

    await page
      .getByRole('group', { name: 'Show' })
      .getByRole('button', { name: /^Waiting/ })
      .click();
    const row = page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Ada/ });
    await row.getByText(/^waiting for \d+ s/).waitFor();
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
    await bar.getByText(/^Grace has had it since/).waitFor();
    await bar.getByText('Note: Wants a refund').waitFor();
    await bar.getByText(/^The assistant answers again at .+, in (1 h 0|59) min\.$/).waitFor();
    await navigation.getByText('waiting for a person').waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);

    await bar.getByRole('button', { name: 'Hand back' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await call('GET', `/conversations/${id}`)).toMatchObject({ handling: 'assistant' });
  }, 60_000);

  it('an answer takes a conversation over; a draft survives a reload, and Shift+Enter makes a new line', async () => {
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
    await page.getByRole('region', { name: 'Handover' }).getByText('A person has had it').waitFor();
    expect(await box.inputValue()).toBe('');
    expect(await call('GET', `/conversations/${id}`)).toMatchObject({ handling: 'human' });
  });

  it('notifications are asked for on a click, and one is shown for each request', async () => {
    const { page } = await open('/conversations?show=waiting');
    await page.evaluate(`
      window.shown = [];
      window.Notification = class extends EventTarget {
        static permission = 'default';
        static async requestPermission() { return (this.permission = 'granted'); }
        constructor(title, options) { super(); shown.push([title, options.body]); }
      };
    `);
    await page.getByRole('switch', { name: 'Notify me of new requests' }).check({ force: true });
    await say('102', 'Cleo', 'A person, please: a person');
    await eventually('a notification is shown', async () =>
      expect(await page.evaluate('window.shown')).toEqual([['Cleo waits for a person', expect.any(String)]]),
    );
  });
});

describeInBrowser('the inbox: conversations and messages', () => {
  it('the last message is shown, and unread conversations are marked', async () => {
    const first = await say('200', 'Dora', 'The first');
    const { page } = await open(`/conversations/${first}`);
    const row = (name: RegExp) => page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name });
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    try {
      await say('201', 'Emil', 'Is it *ready*?');
      await row(/Emil.*Is it ready\?.*Unread/).waitFor();
      await row(/Emil/).click();
      await page
        .getByRole('log')
        .locator('strong', { hasText: 'ready' })
        .or(page.getByRole('log').locator('em'))
        .waitFor();
      await row(/Emil.*Unread/).waitFor({ state: 'detached' });
      await page.reload();
      await row(/Emil.*Is it/).waitFor();
      expect(await row(/Emil.*Unread/).count()).toBe(0);
      expect(await axeFaults(page)).toEqual([]);
    } finally {
      await call('PATCH', '/admin/settings', { ai: { auto_reply: true } });
    }
  });

  it('conversations with failed messages are filtered, and a failed message is sent again once', async () => {
    await call('POST', '/messages/send', { platform: 'telegram', recipient: 'sandbox_fail', message: 'Lost' });
    const { page } = await open('/conversations?show=failed');
    const row = page
      .getByRole('list', { name: 'Conversations' })
      .getByRole('link', { name: /sandbox_fail.*Failed: Lost/ });
    await row.click();
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/messages/send')) keys.push(request.headers()['idempotency-key']);
    });
    await page.getByRole('log').getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('log').getByText('Lost', { exact: true }).nth(1).waitFor();
    expect(keys).toEqual([expect.stringMatching(/^retry-msg_/)]);
  });

  it('each conversation keeps its scroll position, announces new messages, and scrolls to your own', async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    try {
      let id = '';
      for (let number = 0; number < 30; number++) id = await say('202', 'Finn', `Line ${number}`);
      const { page } = await open(`/conversations/${id}`);
      const log = page.getByRole('log');
      await log.getByText('Line 29').waitFor();
      await log.evaluate('document.querySelector("[role=log]").scrollTop = 200');
      await eventually('it has scrolled', async () => {
        expect(await page.evaluate('document.querySelector("[role=log]").scrollTop')).toBe(200);
      });
      await say('202', 'Finn', 'Are you there?');
      await page.getByRole('button', { name: 'New messages below' }).waitFor();
      await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Dora/ }).click();
      await log.getByText('The first').first().waitFor();
      await page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /Finn/ }).click();
      await log.getByText('Line 29').waitFor();
      expect(await page.evaluate('document.querySelector("[role=log]").scrollTop')).toBe(200);
      await page.getByRole('textbox', { name: 'Message' }).fill('Yes');
      await page.getByRole('textbox', { name: 'Message' }).press('Enter');
      await log.getByText('Yes', { exact: true }).waitFor();
      await eventually('the own message is in view', async () => {
        const rest = 'const e = document.querySelector("[role=log]"); e.scrollHeight - e.scrollTop - e.clientHeight';
        expect(await page.evaluate(rest)).toBeLessThan(2);
      });
    } finally {
      await call('PATCH', '/admin/settings', { ai: { auto_reply: true } });
    }
  }, 60_000);
});

describeInBrowser('the inbox: groups and people with several ids', () => {
  const play = (sender: object, content: string, group?: object) =>
    call<{ conversation_id: string }>('POST', '/sandbox/inbound', { platform: 'telegram', sender, content, group });

  it('groups and topics are marked, and each message in them names its author', async () => {
    const depot = { id: '-1005001', name: 'Depot' };
    const topic = { id: '-1005001/44', name: 'Depot' };
    const { conversation_id: id } = await play({ id: '501', name: 'Gina' }, 'I take Monday', depot);
    await play({ id: '501', name: 'Gina' }, 'In the topic', topic);
    const { page } = await open(`/conversations/${id}`);
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.getByRole('link', { name: /^Depot · topic 44 ?Topic/ }).waitFor();
    await list.getByRole('link', { name: /^Depot ?Group/ }).waitFor();
    const log = page.getByRole('log');
    await log.getByText('Gina').waitFor();
    // Also of a message that arrives while the page is open.
    await play({ id: '502', name: 'Hugo' }, 'I take Tuesday', depot);
    await log.getByText('Hugo').waitFor();
    expect(await axeFaults(page)).toEqual([]);
  });

  it('a merged conversation leads to the one that continues, and allows no actions', async () => {
    const { conversation_id: older } = await play({ id: '511', name: 'Ida' }, 'First');
    const { conversation_id: newer } = await play({ id: '512', name: 'Ida' }, 'Second');
    await play({ id: '512', other_id: '511', name: 'Ida' }, 'Third');
    const { page } = await open(`/conversations/${newer}`);
    const list = page.getByRole('list', { name: 'Conversations' });
    await list.getByRole('link', { name: /^Ida ?Merged/ }).waitFor();
    const merged = page.getByRole('region', { name: 'Merged' });
    await merged.getByText('These are earlier messages').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    await merged.getByRole('link').click();
    await page.getByRole('log').getByText('Third', { exact: true }).waitFor();
    expect(page.url()).toContain(older);
    expect(await merged.count()).toBe(0);
  });
});

describeInBrowser('the inbox: files', () => {
  it('pictures, sounds with transcript and documents are shown, and why a file is missing', async () => {
    const send = async (bytes: Buffer, filename: string) =>
      (await upload(gateway, bytes, { key: gateway.testKey, filename })).body.data.id;
    const wav = Buffer.concat([
      Buffer.from(
        'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
        'latin1',
      ),
      Buffer.alloc(64),
    ]);
    const attachments = [
      { id: await send(png(), 'photo.png') },
      { id: await send(wav, 'hello.wav') },
      {
        id: await send(
          Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked = true"/>'),
          'logo.svg',
        ),
      },
    ];
    const { conversation_id } = await call<{ conversation_id: string }>('POST', '/sandbox/inbound', {
      platform: 'whatsapp',
      sender: { id: '300', name: 'Gina' },
      content: 'Look!',
      attachments,
    });
    await gateway.sql(`UPDATE attachments SET transcript = 'Hello there' WHERE filename = 'hello.wav'`);
    const { page, messages, foreign } = await open(`/conversations/${conversation_id}`);
    const log = page.getByRole('log');
    await log.getByRole('button', { name: 'photo.png: show it large' }).click();
    await page.getByRole('dialog').getByRole('img', { name: 'photo.png' }).waitFor();
    await page.keyboard.press('Escape');
    await log.getByText('Transcript: Hello there').waitFor();
    await log.getByRole('button', { name: /^hello\.wav/ }).click();
    await log
      .locator('audio')
      .or(log.getByText(/hello\.wav\d+ B/))
      .first()
      .waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      log.getByRole('button', { name: 'Download logo.svg' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('logo.svg');
    expect(await log.locator('img[src^=blob]').count()).toBe(1);
    await gateway.sql(`UPDATE attachments SET status = 'too_large', reason = 'max_bytes' WHERE filename = 'logo.svg'`);
    await page.reload();
    await log.getByText('logo.svg: Larger than the gateway accepts.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect([await page.evaluate('window.hacked'), messages, foreign]).toEqual([undefined, [], []]);
  }, 60_000);

  it('files are uploaded by button and drop, one removed, and the rest sent with a caption', async () => {
    const id = await say('301', 'Hugo', 'Send me the files');
    const { page } = await open(`/conversations/${id}`);
    const files = page.getByRole('list', { name: 'Files to send' });
    await page.locator('input[type=file]').setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: png() },
      { name: 'two.txt', mimeType: 'text/plain', buffer: Buffer.from('Two') },
    ]);
    await files.getByText('one.png').waitFor();
    await eventually('the picture is shown', async () =>
      expect(
        await page.evaluate(`document.querySelector('[aria-label="Files to send"] img[src^=blob]')?.naturalWidth > 0`),
      ).toBe(true),
    );
    await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File(['Three'], 'three.txt', { type: 'text/plain' }));
      document.querySelector('[role=log]').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    `);
    await files.getByText('three.txt').waitFor();
    await files.getByRole('button', { name: 'Remove two.txt' }).click();
    await files.getByLabel('Uploading').first().waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Message' }).fill('Here they are');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    const log = page.getByRole('log');
    await log.getByRole('button', { name: 'one.png: show it large' }).waitFor();
    await log.getByRole('button', { name: 'Download three.txt' }).waitFor();
    await log.getByText('Here they are').waitFor();
    expect(await log.getByText('two.txt').count()).toBe(0);
    await files.waitFor({ state: 'detached' });
  }, 60_000);
});

describeInBrowser('the inbox: WhatsApp, buttons and later messages', () => {
  const openMenu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: 'More to send' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    return page.getByRole('dialog');
  };

  it('the open window is shown, and a template sent after a preview', async () => {
    const id = await say('400', 'Ida', 'Is it ready?', 'whatsapp');
    const { page } = await open(`/conversations/${id}`);
    await page.getByText(/^Window open for (24 h 0|23 h 59) min$/).waitFor();
    const dialog = await openMenu(page, 'Template');
    await dialog.getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: 'order_update (en_US)' }).click();
    await dialog.getByLabel('Header').fill('4711');
    await dialog.getByLabel('{{1}}').fill('Ida');
    const preview = dialog.getByRole('region', { name: 'Preview' });
    await preview.getByText('Hello Ida, your order is now {{2}}.').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await dialog.getByLabel('{{2}}').fill('ready');
    await dialog.getByLabel('Parameter of button 1').fill('4711');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('log').getByText('Hello Ida, your order is now ready.').waitFor();
  }, 60_000);

  it('buttons are sent, and the tap on one of them is shown', async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    const id = await say('401', 'Jon', 'Tuesday?');
    const { page } = await open(`/conversations/${id}`);
    const dialog = await openMenu(page, 'Buttons');
    await dialog.getByLabel('Button 1').fill('Yes');
    await dialog.getByLabel('Button 2').fill('Another day');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Buttons: Yes, Another day').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Tuesday at three?');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    const log = page.getByRole('log');
    const buttons = log.getByRole('list', { name: 'Buttons' });
    await buttons.getByText('Another day').waitFor();
    const messages = await call<{ id: string }[]>('GET', `/messages?conversation_id=${id}&direction=outbound`);
    await call('POST', '/sandbox/inbound', {
      platform: 'telegram',
      sender: { id: '401', name: 'Jon' },
      interactive_reply: { message_id: messages[0]!.id, id: 'Yes' },
    });
    await log.getByText('Tapped', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await call('PATCH', '/admin/settings', { ai: { auto_reply: true } });
  }, 60_000);

  it('quotations, edits and deletions are shown at once and after a reload', async () => {
    await call('PATCH', '/admin/settings', { ai: { auto_reply: false } });
    const sender = { id: '403', name: 'Lea' };
    const write = (message: object) =>
      call<{ message_id: string }>('POST', '/sandbox/inbound', { platform: 'telegram', sender, ...message });
    const id = await say('403', 'Lea', 'Three crates');
    const { page } = await open(`/conversations/${id}`);
    const log = page.getByRole('log');
    await log.getByText('Three crates').waitFor();
    const [first] = await call<{ id: string }[]>('GET', `/messages?conversation_id=${id}`);
    await write({ content: 'For Monday', reply_to: first!.id });
    const { message_id } = await write({ content: 'My password is hunter2' });
    const bubble = (text: string) => log.getByRole('article').filter({ hasText: text });
    await bubble('hunter2').waitFor();
    await write({ content: 'Thirteen crates', change: { message_id: first!.id } });
    await write({ change: { message_id } });
    for (const visit of ['live', 'reloaded']) {
      if (visit === 'reloaded') await page.reload();
      await bubble('Thirteen crates').getByText('· Edited').waitFor();
      await bubble('Deleted by its author').waitFor();
      const quotation = bubble('For Monday').getByRole('blockquote', { name: 'Quoted message' });
      await quotation.getByText('Lea', { exact: true }).waitFor();
      await quotation.getByText('Three crates').waitFor();
      expect(await log.getByText('hunter2').count()).toBe(0);
      expect(await log.getByText('· Edited').count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
    }
    await call('PATCH', '/admin/settings', { ai: { auto_reply: true } });
  }, 60_000);

  it('a message is scheduled, shown with its time, and cancelled', async () => {
    const id = await say('402', 'Kim', 'Remind me');
    const { page } = await open(`/conversations/${id}`);
    const dialog = await openMenu(page, 'Send later');
    await dialog.getByLabel('Time').fill('2020-01-01T12:00');
    await dialog.getByText('This time has passed.').waitFor();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    await dialog.getByLabel('Time').fill(tomorrow);
    await dialog.getByRole('button', { name: 'Set the time' }).click();
    await page.getByRole('list', { name: 'Sent with the message' }).getByText('Will be sent').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Here is your reminder');
    await page.getByRole('textbox', { name: 'Message' }).press('Enter');
    const message = page.getByRole('log').getByRole('article').filter({ hasText: 'Here is your reminder' });
    await message.getByText('Will be sent').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    const row = page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name: /^Kim.*Remind me/ });
    await row.getByText(/^Scheduled for /).waitFor();
    await message.getByRole('button', { name: 'Cancel it' }).click();
    await message.getByText('Cancelled').waitFor();
    await row.getByText(/^Scheduled for /).waitFor({ state: 'detached' });
    expect(await call('GET', `/conversations/${id}`)).toMatchObject({ handling: 'assistant' });
  }, 60_000);
});
