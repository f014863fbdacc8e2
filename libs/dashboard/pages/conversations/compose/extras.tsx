import { ActionIcon, CloseButton, Menu } from '@mantine/core';
import { ClockIcon, DotsHorizontalIcon, EnvelopeClosedIcon, RadiobuttonIcon } from '@radix-ui/react-icons';
import { lazy, Suspense, useState } from 'react';
import type { Conversation } from '#client';
import { inViewersZone } from '../../../format/time';
import classes from './composer.module.css';
import type { Extras } from './content';

const TemplateForm = lazy(() => import('../whatsapp/template-form'));
const OptionsForm = lazy(() => import('./options-form'));
const LaterForm = lazy(() => import('./later-form'));

interface ExtrasProps {
  extras: Extras;
  onChange: (extras: Extras) => void;
}

/** Opens the forms for template, buttons and send time. */
export function ExtrasMenu({
  conversation,
  extras,
  onChange,
  onSent,
}: ExtrasProps & { conversation: Conversation; onSent: () => void }) {
  const [form, setForm] = useState<'template' | 'options' | 'later'>();
  const onClose = () => setForm(undefined);
  return (
    <>
      <Menu position="top-start">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More to send">
            <DotsHorizontalIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {conversation.platform === 'whatsapp' && (
            <Menu.Item leftSection={<EnvelopeClosedIcon />} onClick={() => setForm('template')}>
              Template
            </Menu.Item>
          )}
          <Menu.Item leftSection={<RadiobuttonIcon />} onClick={() => setForm('options')}>
            Buttons
          </Menu.Item>
          <Menu.Item leftSection={<ClockIcon />} onClick={() => setForm('later')}>
            Send later
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense fallback={null}>
        {form === 'template' && <TemplateForm conversation={conversation} onSent={onSent} onClose={onClose} />}
        {form === 'options' && (
          <OptionsForm
            titles={extras.titles}
            onChange={(titles) => onChange({ ...extras, titles })}
            onClose={onClose}
          />
        )}
        {form === 'later' && (
          <LaterForm sendAt={extras.sendAt} onChange={(sendAt) => onChange({ ...extras, sendAt })} onClose={onClose} />
        )}
      </Suspense>
    </>
  );
}

/** Lists the additions to a message, each with a button that removes it. */
export function ExtrasList({ extras, onChange }: ExtrasProps) {
  const { titles, sendAt } = extras;
  if (titles.length === 0 && sendAt === undefined) return null;
  return (
    <ul className={classes.chips} aria-label="Sent with the message">
      {titles.length > 0 && (
        <li className={classes.chip}>
          <RadiobuttonIcon aria-hidden />
          <span className={classes.name}>Buttons: {titles.join(', ')}</span>
          <CloseButton size="xs" aria-label="Remove the buttons" onClick={() => onChange({ ...extras, titles: [] })} />
        </li>
      )}
      {sendAt !== undefined && (
        <li className={classes.chip}>
          <ClockIcon aria-hidden />
          <span className={classes.name}>Will be sent {inViewersZone(sendAt, 'short')}</span>
          <CloseButton size="xs" aria-label="Send it now" onClick={() => onChange({ ...extras, sendAt: undefined })} />
        </li>
      )}
    </ul>
  );
}
