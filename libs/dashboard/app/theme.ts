import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#eef2ff',
  '#e0e7ff',
  '#c7d2fe',
  '#a5b4fc',
  '#818cf8',
  '#6366f1',
  '#4f46e5',
  '#4338ca',
  '#3730a3',
  '#312e81',
];

const slate: MantineColorsTuple = [
  '#d5dae3',
  '#b8c0cc',
  '#a0a9b8',
  '#6d7788',
  '#3a4352',
  '#2a313d',
  '#20262f',
  '#171b22',
  '#111419',
  '#0b0d11',
];

const OVERLAY = {
  overlayProps: { backgroundOpacity: 0.5, blur: 2 },
  closeButtonProps: { 'aria-label': 'Close' },
} as const;
const SURFACE = { backgroundColor: 'var(--surface)' } as const;
const DIALOG = { content: SURFACE, header: SURFACE, title: { fontWeight: 650 } } as const;

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 6,
  colors: { brand, dark: slate },
  defaultRadius: 'md',
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { openDelay: 250, events: { hover: true, focus: true, touch: true } } },
    Modal: { defaultProps: { ...OVERLAY, centered: true }, styles: DIALOG },
    Drawer: { defaultProps: OVERLAY, styles: DIALOG },
  },
});

/** Mantine's own greys have too little contrast for WCAG AA on these surfaces. */
export const colourVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f8fa',
    '--mantine-color-dimmed': '#56606e',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-error': '#b42318',
    '--mantine-color-anchor': '#4338ca',
    '--mantine-color-default-border': '#d5dae1',
    '--surface': '#ffffff',
    '--surface-sunken': '#f2f4f7',
    '--surface-border': '#e4e7ec',
    '--chart-1': '#4f46e5',
    '--chart-2': '#0ea5a4',
    '--chart-3': '#d97706',
    '--chart-grid': '#e9ecf1',
  },
  dark: {
    '--mantine-color-body': '#0d1015',
    '--mantine-color-dimmed': '#9aa5b5',
    '--mantine-color-placeholder': '#8793a5',
    '--mantine-color-error': '#fda29b',
    '--mantine-color-anchor': '#a5b4fc',
    '--mantine-color-default-border': '#2f3744',
    '--surface': '#151920',
    '--surface-sunken': '#1b2029',
    '--surface-border': '#262d38',
    '--chart-1': '#818cf8',
    '--chart-2': '#2dd4bf',
    '--chart-3': '#fbbf24',
    '--chart-grid': '#222934',
  },
});
