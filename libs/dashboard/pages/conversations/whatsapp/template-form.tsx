import { Select, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Conversation } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FormModal } from '../../../components/form-modal';
import { useSend } from '../compose/use-send';
import { TemplateFields } from './template-fields';
import { isFilled, previewOf, type TemplateValues } from './template-preview';
import classes from './whatsapp.module.css';

interface TemplateFormProps {
  conversation: Conversation;
  onSent: () => void;
  onClose: () => void;
}

const EMPTY: TemplateValues = { header: '', body: [], buttons: [] };

/** Sends an approved template, the only message that WhatsApp accepts outside the reply window. */
export default function TemplateForm({ conversation, onSent, onClose }: TemplateFormProps) {
  const { data, error } = useQuery(queries.templates(useGateway()));
  const send = useSend(conversation);
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState(EMPTY);
  const template = data?.find(({ name, language }) => keyOf(name, language) === chosen);
  const submit = () => {
    if (!template) return;
    const { header, body, buttons } = values;
    const { name, language } = template;
    send.mutate(
      {
        template: {
          name,
          language,
          parameters: { header: header || undefined, body: [...body], buttons: [...buttons] },
        },
      },
      {
        onSuccess: () => {
          onSent();
          onClose();
        },
      },
    );
  };
  const preview = template && previewOf(template, values);
  return (
    <FormModal
      title="Send a template"
      submit="Send"
      request={{ error: send.error ?? error, isPending: send.isPending }}
      disabled={!template || !isFilled(template, values)}
      onSubmit={submit}
      onClose={onClose}
    >
      {data?.length === 0 ? (
        <Text size="sm">
          There are no approved templates. Write them in WhatsApp Manager; the gateway reads them hourly.
        </Text>
      ) : !data ? (
        !error && <Skeleton height={60} />
      ) : (
        <Select
          label="Template"
          placeholder="Choose one"
          searchable
          data-autofocus
          openOnFocus={false}
          data={data.map(({ name, language }) => ({ value: keyOf(name, language), label: `${name} (${language})` }))}
          value={chosen}
          onChange={(value) => {
            setChosen(value);
            setValues(EMPTY);
          }}
        />
      )}
      {template && <TemplateFields template={template} values={values} onChange={setValues} />}
      {preview && (
        <section className={classes.preview} aria-label="Preview">
          <p dir="auto">{preview.text}</p>
          {preview.buttons.map((button) => (
            <span key={button} className={classes.button}>
              {button}
            </span>
          ))}
        </section>
      )}
    </FormModal>
  );
}

function keyOf(name: string, language: string): string {
  return `${name} ${language}`;
}
