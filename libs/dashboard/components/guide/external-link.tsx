import { Anchor } from '@mantine/core';
import { ExternalLinkIcon } from '@radix-ui/react-icons';

/** A link to another site, in a tab of its own: the page keeps what was typed. */
export function ExternalLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" underline="always" inherit>
      {children} <ExternalLinkIcon width={12} height={12} aria-label="opens in a new tab" />
    </Anchor>
  );
}
