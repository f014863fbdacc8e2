import { eventually } from '../support/eventually';
import { useGateway } from '../support/gateway';
import { axeFaults } from './support/axe';
import { describeInBrowser, openPage } from './support/chromium';
import { signIn } from './support/sign-in';

describeInBrowser('erasing a conversation', () => {
  const gateway = useGateway();
  let id: string;

  beforeAll(async () => {
    const inbound = { platform: 'telegram', sender: { id: '100', name: 'Ada' }, content: 'My number is 555 0100' };
    const { body } = await gateway.api<{ conversation_id: string }>('POST', '/sandbox/inbound', inbound, {
      key: gateway.testKey,
    });
    id = body.data.conversation_id;
  });

  const open = async (key: string) => {
    const { page } = await openPage(gateway.url);
    await signIn(page, key, `/dashboard/conversations/${id}`);
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).waitFor();
    return page;
  };

  it('erasing is offered only to keys with admin:users', async () => {
    const scopes = ['read:conversations', 'read:messages', 'write:messages', 'read:status'] as const;
    const page = await open(await gateway.createKey({ scopes, environment: 'test' }));
    expect(await page.getByRole('menuitem', { name: 'Erase' }).count()).toBe(0);
    await page.context().close();
  }, 60_000);

  it('erasing explains itself, asks first, and removes name and text', async () => {
    const page = await open(gateway.testKey);
    await page.getByRole('menuitem', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase the conversation?' });
    await dialog.getByText(/removes the texts and files of all messages.*Ada.*This cannot be undone\.$/).waitFor();
    // A menu that fades out has a role without items.
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await axeFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Erase' }).click();
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('heading', { name: 'Erased person' }).waitFor();
    await eventually('the texts have gone from the page', async () =>
      expect(await page.getByText('My number is 555 0100').count()).toBe(0),
    );
    await page.getByText('This conversation was erased').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    expect(await axeFaults(page)).toEqual([]);
    // The page offers no more actions.
    await page.getByRole('button', { name: 'More actions' }).waitFor({ state: 'detached' });
    const { body } = await gateway.api('GET', `/conversations/${id}`, undefined, { key: gateway.testKey });
    expect(body.data).toMatchObject({ participant: { name: null }, erased_at: expect.any(String) as string });
    await page.goto('/dashboard/audit-log');
    await page.getByRole('button', { name: /^Test key erased a conversation/ }).waitFor();
    await page.context().close();
  }, 60_000);
});
