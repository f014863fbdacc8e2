import { Text } from '@mantine/core';
import { CheckIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import classes from './steps.module.css';

/** The class of a list of steps. */
export const STEPS = classes.steps;

interface StepProps {
  number: number;
  title: string;
  done?: boolean;
  children?: ReactNode;
}

/** A numbered step of instructions. */
export function Step({ number, title, done = false, children }: StepProps) {
  return (
    <li className={classes.step}>
      <span className={classes.number} data-done={done}>
        {done ? <CheckIcon aria-label="Done" /> : number}
      </span>
      <div className={classes.content}>
        <Text fw={600} size="sm" mt={3}>
          {title}
        </Text>
        {children !== undefined && (
          <Text size="sm" c="dimmed" component="div">
            {children}
          </Text>
        )}
      </div>
    </li>
  );
}
