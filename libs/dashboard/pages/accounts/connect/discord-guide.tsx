import { ExternalLink } from '../../../components/guide/external-link';
import type { GuideStep } from './guide-step';
import { DrawnButton, DrawnSwitch, Mark, Picture, Row } from './pictures';

export const DISCORD_GUIDE: readonly GuideStep[] = [
  {
    title: 'Create an application',
    body: (
      <>
        Open the{' '}
        <ExternalLink href="https://discord.com/developers/applications">Discord developer portal</ExternalLink>, press{' '}
        <b>New Application</b>, and give it the name of your bot.
      </>
    ),
  },
  {
    title: 'Switch on the Message Content Intent',
    body: (
      <>
        Open <b>Bot</b> on the left. Under <b>Privileged Gateway Intents</b>, switch on <b>Message Content Intent</b>,
        and press <b>Save Changes</b>. Without it, the bot cannot read messages on servers.
        <Picture label="The page Bot, Privileged Gateway Intents">
          <Row label="Message Content Intent">
            <DrawnSwitch />
          </Row>
        </Picture>
      </>
    ),
  },
  {
    title: 'Copy the token',
    body: (
      <>
        On the same page, press <b>Reset Token</b> and confirm. Discord shows the token once: copy it.
        <Picture label="The page Bot, Token">
          <Row label="Token">
            <Mark>MTE4NzQ1…</Mark> <DrawnButton>Copy</DrawnButton> <DrawnButton>Reset Token</DrawnButton>
          </Row>
        </Picture>
      </>
    ),
  },
];
