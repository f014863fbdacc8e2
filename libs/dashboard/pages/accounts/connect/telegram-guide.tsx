import { ExternalLink } from '../../../components/guide/external-link';
import type { GuideStep } from './guide-step';
import { Bubble, Mark, Picture } from './pictures';

export const TELEGRAM_GUIDE: readonly GuideStep[] = [
  {
    title: 'Open BotFather',
    body: (
      <>
        BotFather is Telegram’s own bot, which makes bots. Open{' '}
        <ExternalLink href="https://t.me/BotFather">@BotFather</ExternalLink> in Telegram, and press <b>Start</b>.
      </>
    ),
  },
  {
    title: 'Write /newbot',
    body: (
      <>
        BotFather asks for a name, which people see, and for a username, which ends in <b>bot</b>.
        <Picture label="The chat with BotFather">
          <Bubble own>/newbot</Bubble>
          <Bubble>Alright, a new bot. How are we going to call it? Please choose a name for your bot.</Bubble>
          <Bubble own>Corner Café</Bubble>
          <Bubble>Good. Now let’s choose a username for your bot. It must end in `bot`.</Bubble>
          <Bubble own>corner_cafe_bot</Bubble>
        </Picture>
      </>
    ),
  },
  {
    title: 'Copy the token',
    body: (
      <>
        BotFather answers with the token. Tap it to copy it.
        <Picture label="BotFather’s answer with the token">
          <Bubble>
            Done! Congratulations on your new bot. You will find it at t.me/corner_cafe_bot. […]
            {'\n\n'}
            Use this token to access the HTTP API:
            {'\n'}
            <Mark>7012345678:AAH9b3uX2Yk1s5Zc8vQ0wE4rT6yU7iO8pA</Mark>
            {'\n'}
            Keep your token secure and store it safely, it can be used by anyone to control your bot.
          </Bubble>
        </Picture>
        You have a bot already? Write <b>/mybots</b>, choose it, and press <b>API Token</b>.
      </>
    ),
  },
];
