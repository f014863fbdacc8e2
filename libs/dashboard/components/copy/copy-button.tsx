import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text';

const SHOWN_MS = 1_500;

function useCopied(value: string, onCopied?: () => void): readonly [boolean, () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const isCopied = await copyText(value);
    setCopied(isCopied);
    if (isCopied) onCopied?.();
  };
  return [copied, () => void copy()];
}

/** @param label name of the copied value: "message id" */
export function CopyButton({ value, label, onCopied }: { value: string; label: string; onCopied?: () => void }) {
  const [copied, copy] = useCopied(value, onCopied);
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Copy ${label}`} onClick={copy} c="dimmed">
        {copied ? <CheckIcon /> : <CopyIcon />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A copy button with a text, for values that a person should copy. */
export function CopyTextButton({
  value,
  children,
  onCopied,
}: {
  value: string;
  children: string;
  onCopied?: () => void;
}) {
  const [copied, copy] = useCopied(value, onCopied);
  return (
    <Button variant="default" leftSection={copied ? <CheckIcon /> : <CopyIcon />} onClick={copy}>
      {copied ? 'Copied' : children}
    </Button>
  );
}
