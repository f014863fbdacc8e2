import { ChatBubbleIcon, DiscordLogoIcon, PaperPlaneIcon } from '@radix-ui/react-icons';
import type { Integration } from '#client';
import classes from './platform.module.css';

export type Platform = Integration['platform'];

export const PLATFORMS: Readonly<Record<Platform, { name: string; Icon: typeof ChatBubbleIcon }>> = {
  telegram: { name: 'Telegram', Icon: PaperPlaneIcon },
  whatsapp: { name: 'WhatsApp', Icon: ChatBubbleIcon },
  discord: { name: 'Discord', Icon: DiscordLogoIcon },
};

export const PLATFORM_OPTIONS = Object.entries(PLATFORMS).map(([value, { name }]) => ({ value, label: name }));

export function PlatformIcon({ platform, size = 28 }: { platform: Platform; size?: number }) {
  const { Icon, name } = PLATFORMS[platform];
  return (
    <span className={classes.icon} data-platform={platform} style={{ width: size, height: size }} title={name}>
      <Icon width={size * 0.55} height={size * 0.55} aria-hidden />
    </span>
  );
}
