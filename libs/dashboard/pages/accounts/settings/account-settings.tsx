import { Button, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountUpdateParams, Settings } from '#client';
import { faultsByField } from '../../../api/fault';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { showDone } from '../../../components/feedback/notify';
import { Section } from '../../../components/section';
import { TrySettings } from '../../settings/preview/try-settings';
import { SaveBar } from '../../settings/save-bar';
import { changesOf, valueAt, type SettingValues } from '../../settings/setting-values';
import { UnsavedGuard } from '../../settings/unsaved-guard';
import type { Account } from '../../../api/accounts';
import { refreshAccounts } from '../refresh-accounts';
import { accountFields } from './account-fields';
import { InheritedSetting } from './inherited-setting';

/** The settings that the account has of its own, and those that it inherits. */
export function AccountSettings({ account }: { account: Account }) {
  const { data, error, refetch } = useQuery(queries.settings(useGateway()));
  if (error && !data) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} radius="lg" />;
  return <SettingsForm account={account} environment={data} />;
}

function SettingsForm({ account, environment }: { account: Account; environment: Settings }) {
  const { id, name, settings, inherited } = account;
  const gateway = useGateway();
  const client = useQueryClient();
  const [values, setValues] = useState<SettingValues>({});
  const [trying, setTrying] = useState(false);
  const fields = accountFields(environment, inherited);
  const changes = changesOf(settings, values) as NonNullable<AccountUpdateParams['settings']>;
  const changed = fields.filter(({ field }) => valueAt(changes, field.name) !== undefined);
  const save = useMutation({
    mutationFn: () => gateway.integrations.update(id, { settings: changes }),
    onSuccess: async () => {
      await refreshAccounts(client);
      setValues({});
      showDone(`The settings of ${name} are saved.`);
    },
  });
  const faults = faultsByField(save.error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="lg">
        <Section
          title="Settings"
          description="What this account does differently from the settings of all accounts."
          actions={
            <Button variant="default" onClick={() => setTrying(true)}>
              Try before saving
            </Button>
          }
        >
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
            {fields.map((setting) => {
              const path = setting.field.name;
              return (
                <InheritedSetting
                  key={path}
                  setting={setting}
                  value={path in values ? values[path] : valueAt(settings, path)}
                  fault={faults[`settings.${path}`]}
                  onChange={(value) => setValues((before) => ({ ...before, [path]: value }))}
                />
              );
            })}
          </SimpleGrid>
        </Section>
        {save.error && <FaultAlert error={save.error} />}
        <SaveBar changed={changed.length > 0} isSaving={save.isPending} onDiscard={() => setValues({})} />
      </Stack>
      {trying && (
        <TrySettings
          preview={{ settings: { system_prompt: environment.ai.system_prompt }, account_settings: changes }}
          changed={changed.map(({ field }) => field.label)}
          accountId={id}
          onClose={() => setTrying(false)}
        />
      )}
      <UnsavedGuard active={changed.length > 0} />
    </form>
  );
}
