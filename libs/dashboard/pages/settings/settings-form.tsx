import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import type { Settings, SettingsUpdateParams } from '#client';
import { faultsByField } from '../../api/fault';
import { useGateway } from '../../api/gateway';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { showDone } from '../../components/feedback/notify';
import { showFirstFault } from '../../components/show-first-fault';
import { Section } from '../../components/section';
import { TrySettings } from './preview/try-settings';
import { ASSISTANT, SETTING_GROUPS } from './fields/setting-groups';
import { SaveBar } from './save-bar';
import { SettingInput } from './setting-input';
import { changesOf, valueAt, type SettingValues } from './setting-values';
import { UnsavedGuard } from './unsaved-guard';

export function SettingsForm({ settings }: { settings: Settings }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const [values, setValues] = useState<SettingValues>({});
  const [trying, setTrying] = useState(false);
  const changes = changesOf(settings, values) as SettingsUpdateParams;
  const changed = Object.keys(changes).length > 0;
  const save = useMutation({
    mutationFn: () => gateway.settings.update(changes),
    onSuccess: (saved) => {
      setValues({});
      client.setQueryData(['settings'], saved);
      void client.invalidateQueries({ queryKey: ['ai-status'] });
      showDone('The settings are saved.');
    },
  });
  useEffect(() => {
    if (save.error) showFirstFault();
  }, [save.error]);
  const faults = faultsByField(save.error);
  const wrong = SETTING_GROUPS.flatMap(({ fields }) => fields).filter(({ name }) => faultAt(faults, name));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        {SETTING_GROUPS.map((group) => {
          const { title, description, fields } = group;
          const present = fields.filter(({ name }) => valueAt(settings, name) !== undefined);
          return (
            present.length > 0 && (
              <Section
                key={title}
                title={title}
                description={description}
                actions={
                  group === ASSISTANT && (
                    <Button variant="default" onClick={() => setTrying(true)}>
                      Try before saving
                    </Button>
                  )
                }
              >
                <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
                  {present.map((field) => (
                    <SettingInput
                      key={field.name}
                      field={field}
                      value={field.name in values ? values[field.name] : valueAt(settings, field.name)}
                      fault={faultAt(faults, field.name)}
                      onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
                    />
                  ))}
                </SimpleGrid>
              </Section>
            )
          );
        })}
        {save.error && <FaultAlert error={save.error} />}
        {wrong.length > 0 && <Text size="sm">Please check: {wrong.map(({ label }) => label).join(', ')}.</Text>}
        <SaveBar changed={changed} isSaving={save.isPending} onDiscard={() => setValues({})} />
      </Stack>
      {trying && (
        <TrySettings
          preview={{ settings: changes.ai ?? { model: settings.ai.model } }}
          changed={labelsOf(changes.ai ?? {})}
          onClose={() => setTrying(false)}
        />
      )}
      <UnsavedGuard active={changed} />
    </form>
  );
}

function labelsOf(changes: object): string[] {
  const fields = SETTING_GROUPS.flatMap((group) => group.fields);
  return Object.keys(changes).map((name) => fields.find((each) => each.name === `ai.${name}`)?.label ?? name);
}

/** The fault of a setting or of a part of it: `ai.prices` also shows that of `ai.prices.x.input`. */
function faultAt(faults: Record<string, string>, name: string): string | undefined {
  const found = Object.entries(faults).find(([parameter]) => parameter === name || parameter.startsWith(`${name}.`));
  return found && (found[0] === name ? found[1] : `${found[0]} ${found[1]}`);
}
