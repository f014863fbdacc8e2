import type { ReactNode } from 'react';
import classes from './pictures.module.css';

/** A small picture of a screen at the platform. @param label says what it shows */
export function Picture({ label, children }: { label: string; children: ReactNode }) {
  return (
    <figure className={classes.picture} aria-label={label}>
      {children}
    </figure>
  );
}

/** A message in a picture of a chat. */
export function Bubble({ own = false, children }: { own?: boolean; children: ReactNode }) {
  return (
    <div className={classes.bubble} data-own={own || undefined}>
      {children}
    </div>
  );
}

/** A text to copy, as the picture shows it. */
export function Mark({ children }: { children: string }) {
  return <span className={classes.mark}>{children}</span>;
}

/** A line of a settings page: its label, and what is beside it. */
export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <span className={classes.label}>{label}</span>
      <span>{children}</span>
    </div>
  );
}

export function DrawnButton({ children }: { children: string }) {
  return <span className={classes.button}>{children}</span>;
}

/** A switch that is on. */
export function DrawnSwitch() {
  return <div className={classes.switch} role="img" aria-label="on" />;
}
