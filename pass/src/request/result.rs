//! What a request returns, as its prototype wants it.

use super::Request;
use crate::{
    diag::{Code, Diagnostic},
    llvm::{Builder, Value},
    session::Session,
    signature,
};

impl Request {
    /// The values as the request's prototype returns them.
    pub(super) fn returned(&self, session: &Session, b: &Builder, values: &[Value]) -> Result<Option<Value>, Vec<Diagnostic>> {
        let module = session.module;
        let ty = self.call.ty();
        let fail = |what: String| {
            let text = format!("'{}' returns {what}", self.call.called().name());
            let remedy = "declare a prototype whose result is the adjoint, or a struct of the adjoints in order \
                          (docs/user-guide.md, section Requests)";
            Err(vec![Diagnostic::new(Code::RequestResult, Some(self.call), text, remedy)])
        };
        if let Some(at) = self.sret {
            let of = self.call.call_sret().expect("it has an sret argument");
            if values.is_empty() || !signature::store_at(module, b, values, at, of) {
                return fail(format!("{} value(s), but the prototype's struct is {of}", values.len()));
            }
            return Ok(None);
        }
        if ty.is_void() || self.call.users().is_empty() {
            return Ok(None);
        }
        if let [one] = values
            && one.ty().is_float()
            && ty.is_float()
        {
            return Ok(Some(b.float_cast(*one, ty)));
        }
        if let [one] = values
            && (one.ty() == ty || !ty.is_struct() && (ty.is_pointer() || one.ty().is_pointer()))
        {
            return if one.ty() == ty { Ok(Some(*one)) } else { fail(format!("{}, but its prototype returns {ty}", one.ty())) };
        }
        if values.is_empty() {
            return fail("nothing (no active by-value argument), but its result is used".into());
        }
        match signature::reinterpret(module, b, values, ty) {
            Some(v) => Ok(Some(v)),
            None => fail(format!("{} value(s), which do not fit the prototype's {ty}", values.len())),
        }
    }
}
