import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PAGES } from '../../app/navigation';
import { Section } from '../../components/section';
import { may } from '../../session/session';
import { useMay, useSession } from '../../session/use-session';
import { LatestFailures } from './latest-failures';

/** The start page of a key without `read:status`, such as a support desk's. */
export function Landing() {
  const session = useSession();
  const mayRead = useMay('read:messages');
  const pages = PAGES.filter(({ to, anyOf }) => to !== '/' && may(session, ...anyOf));
  return (
    <Stack gap="lg">
      <Section
        title="Where to go"
        description="Pages that your key may see. The health of the gateway requires the scope read:status."
      >
        <Stack gap="xs">
          {pages.map(({ to, title }) => (
            <Anchor key={to} renderRoot={(props) => <Link to={to} {...props} />}>
              {title}
            </Anchor>
          ))}
          {mayRead && <Text size="sm">Go to … (Ctrl K) opens a message by its id and shows what happened to it.</Text>}
        </Stack>
      </Section>
      {mayRead && <LatestFailures />}
    </Stack>
  );
}
