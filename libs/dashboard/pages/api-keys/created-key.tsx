import type { ReactNode } from 'react';
import type { CreatedApiKey } from '#client';
import { ShownOnce } from '../../components/shown-once';

interface CreatedKeyProps {
  created: CreatedApiKey;
  title: string;
  children?: ReactNode;
  onClose: () => void;
}

/** The value of a new key, or the new value of an old one. */
export function CreatedKey({ created: { key, name }, title, children, onClose }: CreatedKeyProps) {
  const curl = `curl -s ${location.origin}/api/v1/status -H 'Authorization: Bearer ${key}'`;
  return (
    <ShownOnce
      title={title}
      label="key"
      name={name}
      value={key}
      use={{ title: 'Try it', code: curl, label: 'curl command' }}
      onClose={onClose}
    >
      {children}
    </ShownOnce>
  );
}
