import { Text } from '@mantine/core';
import { CopyButton } from './copy-button';
import classes from './code-block.module.css';

interface CodeBlockProps {
  code: string;
  /** Name of the code, for the copy button: "curl command". */
  label: string;
  /** Maximum height in pixels; longer code scrolls. */
  maxHeight?: number;
  onCopied?: () => void;
}

export function CodeBlock({ code, label, maxHeight = 320, onCopied }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      <pre className={classes.code} style={{ maxHeight }} tabIndex={0} aria-label={label} role="region">
        {code}
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={label} onCopied={onCopied} />
      </div>
    </div>
  );
}

/** Code with a title above it. */
export function CodePart({ title, code }: { title: string; code: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={6}>
        {title}
      </Text>
      <CodeBlock code={code} label={title.toLowerCase()} />
    </div>
  );
}

/** JSON with indentation; any other text unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
