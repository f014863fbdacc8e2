import { Switch } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { notifications } from '../../../live/handover/notifications';

/** Turns browser notifications on and off. The browser asks for permission at the first click. */
export function NotifySwitch() {
  const state = useSyncExternalStore(notifications.subscribe, notifications.get);
  return (
    <Switch
      size="xs"
      label="Notify me of new requests"
      description={state === 'blocked' ? 'Your browser blocks notifications of this page.' : undefined}
      disabled={state === 'blocked'}
      checked={state === 'on'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void notifications.turnOn();
        else notifications.turnOff();
      }}
    />
  );
}
