import { ExternalLink } from '../../../components/guide/external-link';
import type { GuideStep } from './guide-step';
import { DrawnButton, Mark, Picture, Row } from './pictures';

/** The same steps as in docs/connect-whatsapp.md. */
export const WHATSAPP_GUIDE: readonly GuideStep[] = [
  {
    title: 'Create an app',
    body: (
      <>
        You need a business account at Meta. Open{' '}
        <ExternalLink href="https://developers.facebook.com/apps">Meta’s list of apps</ExternalLink>, press{' '}
        <b>Create app</b>, and choose the use case <b>Connect with customers through WhatsApp</b>, which adds the
        product WhatsApp. Choose your business account.
      </>
    ),
  },
  {
    title: 'Copy the ids of the number',
    body: (
      <>
        In the app, open <b>WhatsApp › API Setup</b>. Meta lends a test number; you add your own number later on the
        same page.
        <Picture label="The page API Setup">
          <Row label="From">Test number: +1 555 010 0199</Row>
          <Row label="Phone number ID">
            <Mark>106540352242922</Mark>
          </Row>
          <Row label="WhatsApp Business Account ID">
            <Mark>102290129340398</Mark>
          </Row>
        </Picture>
      </>
    ),
  },
  {
    title: 'Copy the app secret',
    body: (
      <>
        Open <b>App settings › Basic</b>, and press <b>Show</b> beside <b>App secret</b>. The gateway checks with it
        that callbacks come from Meta.
        <Picture label="The page App settings, Basic">
          <Row label="App secret">
            <Mark>3f9c…</Mark> <DrawnButton>Show</DrawnButton>
          </Row>
        </Picture>
      </>
    ),
  },
  {
    title: 'Create a permanent token',
    body: (
      <>
        The token on API Setup expires after a day. Open the{' '}
        <ExternalLink href="https://business.facebook.com/settings">business settings</ExternalLink>,{' '}
        <b>Users › System users</b>, and add a system user with the role <b>Admin</b>. <b>Assign assets</b>: the app and
        the WhatsApp account, with full control. <b>Generate token</b>: choose the app, no expiry, and both permissions.
        <Picture label="The dialog Generate token">
          <Row label="Token expiration">Never</Row>
          <Row label="Permissions">whatsapp_business_messaging, whatsapp_business_management</Row>
          <Row label="Token">
            <Mark>EAA…</Mark> <DrawnButton>Copy</DrawnButton>
          </Row>
        </Picture>
      </>
    ),
  },
];
