import type { ReactNode } from 'react';
import type { CreatedApiKey } from '#client';
import { ShownOnce } from '../../components/shown-once';
import { tryCommand } from './try-command';

interface CreatedKeyProps {
  created: CreatedApiKey;
  title: string;
  children?: ReactNode;
  onClose: () => void;
}

/** Shows the value of a new key, or the new value of a rolled key. */
export function CreatedKey({ created, title, children, onClose }: CreatedKeyProps) {
  return (
    <ShownOnce
      title={title}
      label="key"
      name={created.name}
      value={created.key}
      use={{ title: 'Try it', code: tryCommand(created, location.origin), label: 'curl command' }}
      onClose={onClose}
    >
      {children}
    </ShownOnce>
  );
}
