import { Modal, Text, TextInput } from '@mantine/core';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useRouter } from '@tanstack/react-router';
import { useId, useState, type KeyboardEvent } from 'react';
import { useOpened } from '../../components/hooks/use-opened';
import type { Destination } from './destination';
import classes from './palette.module.css';
import { palette } from './palette-state';
import { useDestinations } from './use-destinations';

const close = () => palette.set(false);

/** Finds pages, conversations and ids. */
export default function PaletteDialog({ shown }: { shown: boolean }) {
  return (
    <Modal
      opened={useOpened(shown)}
      onClose={close}
      title="Go to"
      size="lg"
      yOffset="10dvh"
      centered={false}
      transitionProps={{ duration: 0 }}
    >
      <Search />
    </Modal>
  );
}

function Search() {
  const router = useRouter();
  const list = useId();
  const [text, setText] = useState('');
  const [selected, setSelected] = useState(0);
  const { destinations, isSearching } = useDestinations(text);
  const active = Math.min(selected, destinations.length - 1);

  const go = ({ link }: Destination) => {
    close();
    void router.navigate(link);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && destinations.length > 0) {
      event.preventDefault();
      setSelected((active + step + destinations.length) % destinations.length);
    }
    if (event.key === 'Enter' && destinations[active]) go(destinations[active]);
  };
  return (
    <>
      <TextInput
        aria-label="A page, a name, a number or an id"
        placeholder="A page, a name, a number or an id"
        leftSection={<MagnifyingGlassIcon />}
        pt={4}
        role="combobox"
        aria-expanded={destinations.length > 0}
        aria-controls={list}
        aria-activedescendant={destinations.length > 0 ? `${list}-${active}` : undefined}
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKey}
      />
      <div role="listbox" id={list} aria-label="Places" className={classes.list}>
        {destinations.map((destination, index) => (
          <div
            key={`${destination.title} ${destination.hint}`}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            className={classes.option}
            onMouseMove={() => setSelected(index)}
            onClick={() => go(destination)}
          >
            <span dir="auto">{destination.title}</span>
            {destination.hint !== undefined && (
              <Text size="xs" c="dimmed" truncate>
                {destination.hint}
              </Text>
            )}
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" role="status" mt={destinations.length > 0 ? 0 : 'sm'}>
        {isSearching ? 'Searching …' : destinations.length === 0 ? 'Nothing matches.' : ''}
      </Text>
    </>
  );
}
