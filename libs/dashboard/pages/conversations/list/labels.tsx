import classes from './conversation-list.module.css';

/** The labels of a conversation. */
export function Labels({ labels }: { labels: readonly string[] }) {
  return labels.map((label) => (
    <span key={label} className={classes.label} dir="auto">
      {label}
    </span>
  ));
}
