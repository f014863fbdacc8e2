import { Menu } from '@mantine/core';
import { LockClosedIcon, PauseIcon, Pencil1Icon, PlayIcon, StarIcon, TrashIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccountUpdateParams } from '#client';
import { useGateway } from '../../api/gateway';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/feedback/confirm';
import { showDone, showFault } from '../../components/feedback/notify';
import { PLATFORMS } from '../../components/people/platform';
import { ReconnectButton } from '../overview/integrations/reconnect-button';
import type { Account } from '../../api/accounts';
import { RenameForm } from './rename-form';
import { ReplaceCredentials } from './replace-credentials';
import { refreshAccounts } from './refresh-accounts';

export function AccountActions({ account }: { account: Account }) {
  const { id, name, platform, source, enabled, is_default } = account;
  const gateway = useGateway();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'rename' | 'credentials' | 'disable' | 'delete'>();
  const close = () => setShown(undefined);
  const change = useMutation({
    mutationFn: (values: AccountUpdateParams) => gateway.integrations.update(id, values),
    onSuccess: () => refreshAccounts(client),
    onError: showFault,
    onSettled: close,
  });
  const remove = useMutation({
    mutationFn: () => gateway.integrations.delete(id),
    onSuccess: async () => {
      await navigate({ to: '/accounts' });
      showDone(`${name} is deleted.`);
      return refreshAccounts(client);
    },
    onError: showFault,
  });
  const isOwn = source === 'api';
  return (
    <>
      {enabled && <ReconnectButton target={id} name={name} />}
      <ActionsMenu>
        <Menu.Item leftSection={<Pencil1Icon />} onClick={() => setShown('rename')}>
          Rename
        </Menu.Item>
        {isOwn && (
          <Menu.Item leftSection={<LockClosedIcon />} onClick={() => setShown('credentials')}>
            Replace the credentials
          </Menu.Item>
        )}
        {!is_default && (
          <Menu.Item leftSection={<StarIcon />} onClick={() => change.mutate({ is_default: true })}>
            Make it the default
          </Menu.Item>
        )}
        {isOwn && (
          <>
            {enabled ? (
              <Menu.Item leftSection={<PauseIcon />} onClick={() => setShown('disable')}>
                Disable
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<PlayIcon />} onClick={() => change.mutate({ enabled: true })}>
                Enable
              </Menu.Item>
            )}
            <Menu.Item leftSection={<TrashIcon />} onClick={() => setShown('delete')}>
              Delete
            </Menu.Item>
          </>
        )}
      </ActionsMenu>
      {shown === 'rename' && <RenameForm account={account} onClose={close} />}
      {shown === 'credentials' && <ReplaceCredentials account={account} onClose={close} />}
      <Confirm
        opened={shown === 'disable'}
        title={`Disable ${name}?`}
        confirm="Disable"
        busy={change.isPending}
        onClose={close}
        onConfirm={() => change.mutate({ enabled: false })}
      >
        The gateway disconnects it: it receives nothing, and sends fail. Enable it at any time.
      </Confirm>
      <Confirm
        opened={shown === 'delete'}
        title={`Delete ${name}?`}
        confirm="Delete"
        busy={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate()}
      >
        The gateway disconnects it and forgets its credentials. Its conversations stay, but cannot be answered. If it is
        the default, the oldest account of {PLATFORMS[platform].name} becomes the default. Connect the same bot or
        number again, and the account returns with its conversations.
      </Confirm>
    </>
  );
}
