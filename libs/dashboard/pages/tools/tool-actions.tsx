import { Button, Menu } from '@mantine/core';
import { PauseIcon, Pencil1Icon, PlayIcon, TrashIcon } from '@radix-ui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Tool } from '#client';
import { useGateway } from '../../api/gateway';
import { ActionsMenu } from '../../components/actions-menu';
import { Confirm } from '../../components/feedback/confirm';
import { showFault } from '../../components/feedback/notify';
import { TestTool } from './test-tool';
import { ToolForm } from './tool-form';

export function ToolActions({ tool }: { tool: Tool }) {
  const gateway = useGateway();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [shown, setShown] = useState<'test' | 'change' | 'delete'>();
  const close = () => setShown(undefined);
  const enable = useMutation({
    mutationFn: (enabled: boolean) => gateway.tools.update(tool.id, { enabled }),
    onSuccess: () =>
      Promise.all([['tool', tool.id], ['tools']].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError: showFault,
  });
  const remove = useMutation({
    mutationFn: () => gateway.tools.delete(tool.id),
    onSuccess: async () => {
      // The list would read the calls of the tool that is gone.
      client.removeQueries({ queryKey: ['tools'] });
      await navigate({ to: '/tools' });
    },
    onError: showFault,
  });
  return (
    <>
      <Button variant="default" leftSection={<PlayIcon />} onClick={() => setShown('test')}>
        Test
      </Button>
      {!tool.enabled && (
        <Button loading={enable.isPending} onClick={() => enable.mutate(true)}>
          Enable
        </Button>
      )}
      <ActionsMenu>
        <Menu.Item leftSection={<Pencil1Icon />} onClick={() => setShown('change')}>
          Change
        </Menu.Item>
        {tool.enabled && (
          <Menu.Item leftSection={<PauseIcon />} onClick={() => enable.mutate(false)}>
            Disable
          </Menu.Item>
        )}
        <Menu.Item leftSection={<TrashIcon />} onClick={() => setShown('delete')}>
          Delete
        </Menu.Item>
      </ActionsMenu>
      {shown === 'test' && <TestTool tool={tool} onClose={close} />}
      {shown === 'change' && <ToolForm changed={tool} onClose={close} />}
      <Confirm
        opened={shown === 'delete'}
        title="Delete the tool?"
        confirm="Delete"
        busy={remove.isPending}
        onClose={close}
        onConfirm={() => remove.mutate()}
      >
        The assistant no longer calls {tool.name}. This cannot be undone.
      </Confirm>
    </>
  );
}
