import { ExternalLinkIcon } from '@radix-ui/react-icons';
import type { ShownMessage } from '../../../live/messages/shown-message';
import classes from './options.module.css';

/** The buttons or list options below a message. */
export function Options({ interactive }: Pick<ShownMessage, 'interactive'>) {
  if (!interactive) return null;
  return (
    <ul className={classes.options} aria-label={interactive.type === 'list' ? 'List to choose from' : 'Buttons'}>
      {interactive.options.map(({ id, title, description, url }) => (
        <li key={id} className={classes.option}>
          {url === undefined ? (
            title
          ) : (
            <a href={url} target="_blank" rel="noopener noreferrer">
              {title} <ExternalLinkIcon width={12} height={12} aria-hidden />
            </a>
          )}
          {description && <span className={classes.description}>{description}</span>}
        </li>
      ))}
    </ul>
  );
}
