!mod$ v1 sum:ee6333c30213e86e
module mm
type::node
real(8)::v
type(node),pointer::next=>NULL()
end type
intrinsic::null
end
