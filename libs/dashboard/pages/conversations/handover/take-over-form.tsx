import { Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Conversation } from '#client';
import { FormModal } from '../../../components/form-modal';
import { ownName } from './own-name';
import { useHandover } from './use-handover';

const LONGEST_NAME = 100;
const LONGEST_NOTE = 2_000;
const NEVER = 'never';
/** The time that is set already. */
const UNCHANGED = 'unchanged';
const LONGEST_MINUTES = 10_080;

const TIMERS = [
  { value: NEVER, label: 'When I hand it back' },
  { value: '15', label: 'After 15 minutes' },
  { value: '60', label: 'After an hour' },
  { value: '240', label: 'After 4 hours' },
  { value: '1440', label: 'After a day' },
  { value: String(LONGEST_MINUTES), label: 'After a week' },
];

/** Asks who takes over the conversation, and for how long. */
export function TakeOverForm({
  conversation: { id, handling, handover },
  onClose,
}: {
  conversation: Conversation;
  onClose: () => void;
}) {
  const { takeOver } = useHandover(id);
  const [assignee, setAssignee] = useState(handover?.assignee ?? ownName.get() ?? '');
  const [note, setNote] = useState(handover?.note ?? '');
  const resumeAt = handover?.resume_at;
  const [timer, setTimer] = useState(resumeAt ? UNCHANGED : NEVER);
  const isChange = handling === 'human';
  const minutes = () => {
    if (timer === UNCHANGED) return resumeAt ? minutesUntil(resumeAt) : undefined;
    return timer === NEVER ? undefined : Number(timer);
  };
  const submit = () => {
    const name = assignee.trim();
    if (name !== '') ownName.set(name);
    takeOver.mutate(
      {
        assignee: name || undefined,
        note: note.trim() || undefined,
        resume_after_minutes: minutes(),
      },
      { onSuccess: onClose },
    );
  };
  return (
    <FormModal
      title={isChange ? 'Change the takeover' : 'Take over from the assistant'}
      submit={isChange ? 'Save' : 'Take over'}
      request={takeOver}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Your name"
        description="Colleagues see who has the conversation."
        maxLength={LONGEST_NAME}
        value={assignee}
        data-autofocus
        onChange={({ currentTarget }) => setAssignee(currentTarget.value)}
      />
      <Textarea
        label="Note for colleagues"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={LONGEST_NOTE}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Select
        label="The assistant answers again"
        data={resumeAt ? [{ value: UNCHANGED, label: 'At the time that is set' }, ...TIMERS] : TIMERS}
        allowDeselect={false}
        value={timer}
        onChange={(value) => setTimer(value ?? NEVER)}
      />
    </FormModal>
  );
}

/** Within what the gateway takes. */
function minutesUntil(time: string): number {
  return Math.min(LONGEST_MINUTES, Math.max(1, Math.ceil((Date.parse(time) - Date.now()) / 60_000)));
}
