import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Statistics } from '#client';
import { PLATFORMS, PlatformIcon, type Platform } from '../../components/people/platform';
import { Section } from '../../components/section';
import { count } from '../../format/number';

export function ByPlatform({ statistics: { by_platform } }: { statistics: Statistics }) {
  const all = Object.values(by_platform).reduce((sum, value) => sum + value, 0);
  return (
    <Section title="By platform">
      <Stack>
        {Object.entries(by_platform).map(([platform, messages]) => {
          const percent = all === 0 ? 0 : (messages / all) * 100;
          const { name } = PLATFORMS[platform as Platform];
          return (
            <Group key={platform} wrap="nowrap" gap="sm">
              <PlatformIcon platform={platform as Platform} />
              <Stack gap={4} flex={1}>
                <Group justify="space-between">
                  <Text size="sm" fw={550}>
                    {name}
                  </Text>
                  <Text size="sm" className="numeric">
                    {count(messages)}
                  </Text>
                </Group>
                <Progress value={percent} size="sm" aria-label={`${name}: ${Math.round(percent)} %`} />
              </Stack>
            </Group>
          );
        })}
      </Stack>
    </Section>
  );
}
