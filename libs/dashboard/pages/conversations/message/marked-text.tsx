import { useMemo } from 'react';
import { parseMarkup, type Dialect, type MarkupNode } from './parse-markup';
import classes from './marked-text.module.css';

/** A text with the platform's markup, as React elements and never as HTML. */
export function MarkedText({ text, dialect }: { text: string; dialect: Dialect }) {
  const nodes = useMemo(() => parseMarkup(text, dialect), [text, dialect]);
  return <Nodes nodes={nodes} />;
}

function Nodes({ nodes }: { nodes: readonly MarkupNode[] }) {
  return nodes.map((node, index) => <Shown key={index} node={node} />);
}

const ELEMENTS = { bold: 'strong', italic: 'em', strike: 's', underline: 'u', spoiler: 'span' } as const;

function Shown({ node }: { node: MarkupNode }) {
  if (node.kind === 'text') return node.text;
  if ('text' in node) return <code className={classes[node.kind]}>{node.text}</code>;
  if (node.kind === 'link')
    return (
      <a href={node.url} target="_blank" rel="noopener noreferrer" className={classes.link}>
        <Nodes nodes={node.children} />
      </a>
    );
  const Element = ELEMENTS[node.kind];
  return (
    <Element className={classes[node.kind]}>
      <Nodes nodes={node.children} />
    </Element>
  );
}
