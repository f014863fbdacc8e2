import { ExternalLink } from '../../../components/guide/external-link';
import { Step } from '../../../components/guide/steps';

/** View channels, send messages (in threads too), embed links, attach files, read the history, react. */
const PERMISSIONS = '274878024768';

/** Discord: the bot joins a server. @param botId is also the id of the application */
export function InviteStep({ number, botId }: { number: number; botId: string | undefined }) {
  const query = new URLSearchParams({ client_id: botId ?? '', scope: 'bot', permissions: PERMISSIONS });
  return (
    <Step number={number} title="Invite the bot to a server">
      {botId === undefined ? (
        'The link appears when the bot is connected.'
      ) : (
        <>
          <ExternalLink href={`https://discord.com/oauth2/authorize?${query}`}>Choose a server</ExternalLink>. People on
          it can write to the bot directly, or mention it in a channel.
        </>
      )}
    </Step>
  );
}
