import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import classes from './palette-button.module.css';
import { palette } from './palette-state';

const show = () => palette.set(true);

/** Opens the palette from the navigation. */
export function PaletteButton({ onOpen }: { onOpen?: () => void }) {
  const isApple = ['macos', 'ios'].includes(useOs());
  return (
    <UnstyledButton
      className={classes.button}
      onClick={() => {
        onOpen?.();
        show();
      }}
    >
      <MagnifyingGlassIcon aria-hidden /> Go to …
      <Kbd size="xs" className={classes.keys} aria-hidden>
        {isApple ? '⌘ K' : 'Ctrl K'}
      </Kbd>
    </UnstyledButton>
  );
}

/** The button for narrow screens. */
export function PaletteIcon() {
  return (
    <ActionIcon variant="subtle" color="gray" c="dimmed" size="lg" aria-label="Go to …" onClick={show}>
      <MagnifyingGlassIcon width={18} height={18} />
    </ActionIcon>
  );
}
